"""Dimod: any of Ocean's samplers, what is sent to them, what they answer, and the composites that embed on a chip."""

import copy
import pickle
from concurrent.futures import Future
from functools import partial

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO, SelectQUBO, Tradeoff, criteria
from quboselect.datasets import load_ionosphere
from quboselect.quantum.dimod import Dimod, answer_solutions, quadratic_model
from quboselect.testing import check_solver

try:
    import dimod
    import dwave.samplers as samplers
except ModuleNotFoundError:
    dimod = None
needs_dimod = pytest.mark.skipif(dimod is None, reason="needs dimod and dwave-samplers")

# No bit is like another, so that a wrong order shows.
LOPSIDED = QUBO([-1.0, -2.0, 4.0, -8.0], [[0, 3, 0, 0], [3, 0, 0.5, 0], [0, 0.5, 0, -5], [0, 0, -5, 0]])


class Echo:
    """A sampler that answers with one sample, and keeps what it was sent."""

    def __init__(self, *, parameters=(), answer=None):
        self.parameters = {name: [] for name in parameters}
        self.properties = {}
        self.answer = answer
        self.sent = None

    def sample(self, model, **sent):
        self.sent = sent
        if self.answer is not None:
            return self.answer
        return dimod.SampleSet.from_samples_bqm(dict.fromkeys(model.variables, 0), model)


@pytest.fixture(scope="module")
def system():
    return pytest.importorskip("dwave.system", reason="needs dwave-system")


@pytest.fixture(scope="module")
def pegasus(system):
    from dwave.system.testing import MockDWaveSampler

    return MockDWaveSampler(topology_type="pegasus", topology_shape=[4])


@needs_dimod
def test_the_model_has_the_same_energies_and_no_zero_couplings():
    model = quadratic_model(LOPSIDED)
    assert list(model.variables) == [0, 1, 2, 3]
    assert {tuple(sorted(pair)) for pair in model.quadratic} == {(0, 1), (1, 2), (2, 3)}
    rows = oracles.subsets(4)
    assert model.energies((rows.astype(np.int8), [0, 1, 2, 3])) == pytest.approx(LOPSIDED.energy(rows))
    assert len(quadratic_model(QUBO([0.0, 0.0], np.zeros((2, 2))))) == 2


@needs_dimod
@pytest.mark.parametrize(
    ("solver", "repeatable"),
    [
        (lambda: Dimod(samplers.SimulatedAnnealingSampler, 10, num_sweeps=200, seed=1), True),
        (lambda: Dimod(samplers.PathIntegralAnnealingSampler(), 20, num_sweeps=200, seed=1), True),
        (lambda: Dimod(samplers.RotorModelAnnealingSampler, 20, num_sweeps=200, seed=1), True),
        (lambda: Dimod(samplers.SteepestDescentSolver, 30, seed=1), True),
        (lambda: Dimod(samplers.TabuSampler, 2, timeout=2), False),
        (lambda: Dimod(dimod.ExactSolver), True),
    ],
    ids=["annealing", "path integral", "rotor", "descent", "tabu", "exact"],
)
def test_local_samplers_are_solvers(solver, repeatable):
    check_solver(solver(), success=0.9, repeatable=repeatable)


@needs_dimod
def test_reads_are_asked_for_and_counted():
    samples = Dimod(samplers.SimulatedAnnealingSampler, 37, seed=3)(oracles.random_qubo(6, 0))
    assert samples.count.sum() == samples.info["reads"] == 37
    assert samples.info["sampler"] == "SimulatedAnnealingSampler"
    assert "beta_range" in samples.info
    assert samples.bound == -np.inf


@needs_dimod
def test_bits_stay_in_their_places_whatever_the_order_of_the_answer():
    values, energies = [[1, 0, 1, 0], [0, 1, 1, 1]], [99.0, -99.0]
    for spins in (False, True):
        told = 2 * np.array(values) - 1 if spins else np.array(values)
        answer = dimod.SampleSet.from_samples(
            (told, [2, 0, 3, 1]),
            "SPIN" if spins else "BINARY",
            energies,
            num_occurrences=[3, 2],
            sort_labels=False,
        )
        samples = answer_solutions(answer, LOPSIDED)
        # Energies as told are wrong, and not believed.
        assert samples.x.tolist() == [[False, False, True, True], [True, True, False, True]]
        assert samples.energy.tolist() == [-9.0, -8.0]
        assert samples.count.tolist() == [3, 2]


@needs_dimod
def test_the_best_of_a_lopsided_problem_is_found_in_its_place():
    samples = Dimod(samplers.SimulatedAnnealingSampler, 20, seed=1)(LOPSIDED)
    assert samples.best.tolist() == oracles.subsets(4)[LOPSIDED.energy(oracles.subsets(4)).argmin()].tolist()


@needs_dimod
def test_an_answer_that_is_none_is_refused_in_words():
    few = dimod.SampleSet.from_samples({0: 1, 1: 0}, "BINARY", 0.0)
    with pytest.raises(ValueError, match=r"Echo must answer with bits 0 to 3, got \[0, 1\]"):
        Dimod(Echo(answer=few))(LOPSIDED)
    nothing = dimod.SampleSet.from_samples((np.empty((0, 4), np.int8), range(4)), "BINARY", [])
    with pytest.raises(ValueError, match="Echo answered without a sample"):
        Dimod(Echo(answer=nothing))(LOPSIDED)


@needs_dimod
def test_samples_that_were_never_seen_are_left_out():
    rows = (np.array([[1, 1, 0, 0], [0, 0, 1, 1]]), range(4))
    answer = dimod.SampleSet.from_samples(
        rows, "BINARY", [0.0, 0.0], num_occurrences=[3, 0], chain_break_fraction=[0.5, 0.9]
    )
    samples = answer_solutions(answer, LOPSIDED)
    assert samples.x.tolist() == [[True, True, False, False]]
    assert (samples.info["reads"], samples.info["chain_breaks"]) == (3, 0.5)
    never = dimod.SampleSet.from_samples(rows, "BINARY", [0.0, 0.0], num_occurrences=[0, 0])
    with pytest.raises(ValueError, match="the sampler answered without a sample"):
        answer_solutions(never, LOPSIDED)


@needs_dimod
def test_a_qubo_without_bits_is_answered_without_asking():
    nobody = Echo(parameters=["num_reads"])
    assert Dimod(nobody)(QUBO(np.zeros(0), np.zeros((0, 0)))).x.shape == (1, 0)
    assert nobody.sent is None


class Connection(Echo):
    """A sampler that is open until it is closed, and answers only while it is."""

    log = ()

    def __init__(self, **fields):
        super().__init__(**fields)
        Connection.log += ("opened",)

    def sample(self, model, **sent):
        Connection.log += ("asked",)
        answer = super().sample(model, **sent)

        def resolved(_):
            Connection.log += ("read",)
            return answer

        return dimod.SampleSet.from_future(Future(), resolved)

    def close(self):
        Connection.log += ("closed",)


@needs_dimod
def test_what_a_call_opened_is_closed_once_its_answer_was_read_and_nothing_else(monkeypatch):
    monkeypatch.setattr(Connection, "log", ())
    Dimod(Connection)(LOPSIDED)
    assert Connection.log == ("opened", "asked", "read", "closed")
    monkeypatch.setattr(Connection, "log", ())
    with pytest.raises(ValueError, match="does not take 'seed'"):
        Dimod(Connection, seed=1)(LOPSIDED)
    assert Connection.log == ("opened", "closed")
    open_ = Connection()
    monkeypatch.setattr(Connection, "log", ())
    Dimod(open_)(LOPSIDED)
    assert Connection.log == ("asked", "read")


@needs_dimod
def test_a_sampler_is_sent_only_what_it_takes():
    hybrid = Echo(parameters=["time_limit", "label"])
    Dimod(hybrid, time_limit=3)(LOPSIDED)
    assert hybrid.sent == {"time_limit": 3, "label": "quboselect n=4"}
    chip = Echo(parameters=["num_reads", "label", "return_embedding", "annealing_time"])
    Dimod(chip, 7, label="mine", parameters={"annealing_time": 20}, return_embedding=False)(LOPSIDED)
    assert chip.sent == {"num_reads": 7, "label": "mine", "annealing_time": 20, "return_embedding": False}
    Dimod(chip, None)(LOPSIDED)
    assert "num_reads" not in chip.sent


@needs_dimod
def test_a_parameter_the_sampler_does_not_take_is_refused_before_anything_is_sent():
    chip = Echo(parameters=["num_reads", "annealing_time"])
    words = (
        r"Echo does not take 'anealing_time'; did you mean 'annealing_time'\? It takes: annealing_time, num_"
    )
    with pytest.raises(ValueError, match=words):
        Dimod(chip, anealing_time=5)(LOPSIDED)
    assert chip.sent is None
    with pytest.raises(ValueError, match=r"does not take 'seed'. It takes: nothing. Nothing was sent"):
        Dimod(Echo(), seed=5)(LOPSIDED)


@needs_dimod
def test_a_sampler_that_does_not_list_its_parameters_is_asked_by_its_signature():
    class Plain:
        def sample(self, model, num_reads=1):
            return dimod.SampleSet.from_samples_bqm([dict.fromkeys(model.variables, 1)] * num_reads, model)

    assert Dimod(Plain, 5)(LOPSIDED).count.tolist() == [5]
    with pytest.raises(ValueError, match="Plain does not take 'seed'"):
        Dimod(Plain, 5, seed=1)(LOPSIDED)

    class Anything(Plain):
        def sample(self, model, **sent):
            assert sent == {"num_reads": 5, "seed": 1}
            return super().sample(model)

    assert Dimod(Anything, 5, seed=1)(LOPSIDED).count.tolist() == [1]


@pytest.mark.parametrize("wrong", [3, int, "DWaveSampler", None])
def test_what_is_no_sampler_is_refused_in_words(wrong):
    with pytest.raises(
        TypeError, match="sampler must be a dimod sampler, which has a method sample, or a class"
    ):
        Dimod(wrong)


@needs_dimod
def test_a_factory_of_something_else_is_refused_in_words():
    with pytest.raises(TypeError, match=r"sampler must make a dimod sampler.*it made 3"):
        Dimod(lambda: 3)(LOPSIDED)


def test_a_wrong_number_of_reads_is_refused_in_words():
    with pytest.raises(ValueError, match="num_reads must be an integer of at least 1, got 0"):
        Dimod(Echo, 0)


@needs_dimod
def test_without_a_token_it_says_where_to_get_one_or_what_to_do_instead():
    class SolverAuthenticationError(Exception):
        pass

    def refused(error):
        raise error

    words = r"run `dwave setup` or set .* DWAVE_API_TOKEN; or use a sampler that runs here"
    for error in (ValueError("API token not defined"), SolverAuthenticationError("Token not accepted")):
        with pytest.raises(PermissionError, match=words):
            Dimod(partial(refused, error))(LOPSIDED)
    with pytest.raises(ValueError, match=r"^something else$"):
        Dimod(partial(refused, ValueError("something else")))(LOPSIDED)


def test_the_cloud_without_a_token_says_so(system, monkeypatch, tmp_path):
    monkeypatch.delenv("DWAVE_API_TOKEN", raising=False)
    monkeypatch.setenv("DWAVE_CONFIG_FILE", str(tmp_path / "none.conf"))
    (tmp_path / "none.conf").write_text("")
    for sampler in (system.DWaveSampler, system.LeapHybridSampler):
        with pytest.raises(PermissionError, match="API token not defined"):
            Dimod(sampler)(LOPSIDED)


def test_it_is_a_value_that_can_be_pickled_copied_compared_and_read():
    solver = Dimod(Echo, 5, label="a", num_sweeps=3)
    assert pickle.loads(pickle.dumps(solver)) == solver
    assert hash(solver) == hash(pickle.loads(pickle.dumps(solver)))
    assert copy.deepcopy(solver) is solver
    assert solver == Dimod(Echo, 5, label="a", parameters={"num_sweeps": 3})
    assert solver != Dimod(Echo, 5, label="a", num_sweeps=4)
    assert repr(solver) == "Dimod(Echo, num_reads=5, label='a', num_sweeps=3)"
    with pytest.raises(AttributeError):
        solver.num_reads = 3
    with pytest.raises(TypeError):
        solver.parameters["seed"] = 3


@needs_dimod
def test_scikit_learn_clones_a_selector_with_an_open_sampler():
    from sklearn.base import clone

    solver = Dimod(Echo(parameters=["num_reads"]), 5)
    assert clone(SelectQUBO(k=2, solver=solver)).solver is solver


def test_a_hybrid_workflow_is_a_sampler_too():
    hybrid = pytest.importorskip("hybrid", reason="needs dwave-hybrid")
    qubo = oracles.random_qubo(14, 3)
    solutions = Dimod(hybrid.HybridSampler(hybrid.TabuProblemSampler(timeout=20)))(qubo)
    assert solutions.energy[0] == pytest.approx(oracles.lowest_energy(qubo, None))
    assert solutions.info["sampler"] == "HybridSampler"


def test_a_lazy_embedding_serves_a_whole_fit_and_keeps_its_chains(system, pegasus):
    X, y = load_ionosphere(return_X_y=True)
    solver = Dimod(system.LazyFixedEmbeddingComposite(pegasus), 30)
    selector = SelectQUBO(k=4, criterion=criteria.Pairs(chance=0), solver=solver).fit(X[:, :12], y)
    assert selector.support_.sum() == 4
    reads = selector.solutions_.info["answer"]
    assert reads.count.sum() == 30
    assert reads.info["sampler"] == "LazyFixedEmbeddingComposite(MockDWaveSampler)"
    assert reads.info["problem_label"] == "quboselect n=12"
    assert reads.info["timing"]["qpu_access_time"] > 0
    chains = reads.info["embedding_context"]["embedding"]
    assert sorted(chains) == list(range(12))
    tradeoff = Tradeoff(selector.importance_, selector.redundancy_)
    for alpha in (0.2, 0.9, 1.0):
        assert solver(tradeoff.at(alpha)).info["embedding_context"]["embedding"] == chains


def test_chain_breaks_are_those_of_the_reads(system, pegasus):
    solutions = Dimod(system.EmbeddingComposite(pegasus), 30)(oracles.random_qubo(12, 1))
    fraction = solutions.info["chain_break_fraction"]
    assert fraction.shape == (len(solutions),)
    assert solutions.info["chain_breaks"] == pytest.approx(np.average(fraction, weights=solutions.count))


@needs_dimod
def test_chain_breaks_of_rows_that_repeat_are_averaged():
    rows = (np.array([[1, 1, 0, 0], [0, 0, 1, 1], [1, 1, 0, 0]]), range(4))
    answer = dimod.SampleSet.from_samples(
        rows, "BINARY", [0.0] * 3, num_occurrences=[5, 2, 1], chain_break_fraction=[0.0, 0.5, 0.6]
    )
    solutions = answer_solutions(answer, LOPSIDED)
    assert solutions.count.tolist() == [2, 6]
    assert solutions.info["chain_break_fraction"] == pytest.approx([0.5, 0.1])
    assert solutions.info["chain_breaks"] == pytest.approx(1.6 / 8)


def test_solvers_on_a_chip_pass_the_kit(system, pegasus):
    check_solver(Dimod(system.EmbeddingComposite(pegasus), 20), repeatable=False)


def test_a_composite_around_a_composite_is_named_with_both(system, pegasus):
    reversal = pytest.importorskip("dwave.preprocessing").SpinReversalTransformComposite
    solutions = Dimod(reversal(system.EmbeddingComposite(pegasus)), 20)(oracles.random_qubo(6, 1))
    assert solutions.info["sampler"] == "SpinReversalTransformComposite(EmbeddingComposite(MockDWaveSampler))"


def test_a_problem_that_does_not_fit_a_chip_says_what_to_do(system, pegasus):
    with pytest.raises(ValueError, match=r"MockDWaveSampler.*QUBO\(size=12\).*LazyFixedEmbeddingComposite"):
        Dimod(pegasus)(oracles.random_qubo(12, 1))
    ring = np.roll(np.eye(9), 1, axis=0)
    lazy = Dimod(system.LazyFixedEmbeddingComposite(pegasus), 5)
    lazy(QUBO(np.ones(9), ring + ring.T))
    # More bits than the first problem had, and more couplings.
    for size in (12, 9):
        with pytest.raises(ValueError, match=rf"LazyFixed.*QUBO\(size={size}\).*made anew"):
            lazy(QUBO(np.ones(size), np.ones((size, size)) - np.eye(size)))
    few = {"tries": 1, "timeout": 1}
    large = Dimod(system.EmbeddingComposite(pegasus, embedding_parameters=few))
    with pytest.raises(ValueError, match=r"no embedding for QUBO\(size=70\).*fewer features"):
        large(QUBO(np.ones(70), np.ones((70, 70)) - np.eye(70)))
