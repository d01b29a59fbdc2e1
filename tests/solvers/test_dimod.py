"""Dimod: any of Ocean's samplers, what is sent to them, what they answer, and the embedding on a chip."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

import solver_oracles as oracles
from quboselect import QUBO, Tradeoff
from quboselect.solvers.dimod import Dimod, embed, qbsolv, quadratic_model, read_answer
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
        samples = read_answer(answer, LOPSIDED)
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

    words = (
        r"run `dwave setup` or set the environment variable DWAVE_API_TOKEN; or take a sampler that runs here"
    )
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
    solver = Dimod(Echo, 5, label="a", embedding={0: [1, 2]}, num_sweeps=3)
    assert pickle.loads(pickle.dumps(solver)) == solver
    assert hash(solver) == hash(pickle.loads(pickle.dumps(solver)))
    assert copy.deepcopy(solver) is solver
    assert solver == Dimod(Echo, 5, label="a", embedding={0: (1, 2)}, parameters={"num_sweeps": 3})
    assert solver != Dimod(Echo, 5, label="a", embedding={0: (1, 2)}, num_sweeps=4)
    assert repr(solver) == "Dimod(Echo, num_reads=5, label='a', num_sweeps=3, embedding=<1 chains>)"
    with pytest.raises(AttributeError):
        solver.num_reads = 3
    with pytest.raises(TypeError):
        solver.parameters["seed"] = 3


@needs_dimod
def test_scikit_learn_clones_a_selector_with_an_open_sampler():
    from sklearn.base import clone

    from quboselect import SelectQUBO

    solver = Dimod(Echo(parameters=["num_reads"]), 5)
    assert clone(SelectQUBO(k=2, solver=solver)).solver is solver


def test_qbsolv_finds_the_optimum_in_parts_of_the_problem():
    pytest.importorskip("hybrid", reason="needs dwave-hybrid")
    qubo = oracles.random_qubo(14, 3)
    samples = Dimod(partial(qbsolv, size=5, rounds=2, timeout=2))(qubo)
    assert samples.energy[0] == pytest.approx(oracles.lowest_energy(qubo, None))
    assert samples.info["sampler"] == "HybridSampler"
    check_solver(Dimod(partial(qbsolv, size=4, rounds=1, timeout=1)), success=0.9, repeatable=False)


def test_a_chip_is_embedded_on_and_answers_with_its_fields(pegasus):
    qubo = oracles.random_qubo(12, 1)
    samples = Dimod(pegasus, 30)(qubo)
    assert samples.count.sum() == 30
    assert samples.info["sampler"] == "FixedEmbeddingComposite(MockDWaveSampler)"
    assert samples.info["problem_label"] == "quboselect n=12"
    assert samples.info["problem_id"]
    assert samples.info["timing"]["qpu_access_time"] > 0
    assert set(samples.info["embedding_context"]["embedding"]) == set(range(12))
    assert samples.info["chain_break_fraction"].shape == (len(samples),)
    weighted = np.average(samples.info["chain_break_fraction"], weights=samples.count)
    assert samples.info["chain_breaks"] == pytest.approx(weighted)


def test_solvers_on_a_chip_pass_the_kit(system, pegasus):
    check_solver(Dimod(pegasus, 20), repeatable=False)
    check_solver(Dimod(system.EmbeddingComposite(pegasus), 20), repeatable=False)


def test_one_embedding_serves_every_alpha(system, pegasus):
    base = oracles.random_qubo(8, 2)
    tradeoff = Tradeoff(-base.linear, base.couplings)
    for sampler in (pegasus, system.EmbeddingComposite(pegasus)):
        solver = Dimod(sampler, 10).fixed(tradeoff.at(0.5))
        for alpha in (0.0, 0.2, 0.9, 1.0):
            samples = solver(tradeoff.at(alpha))
            assert samples.info["sampler"] == "FixedEmbeddingComposite(MockDWaveSampler)"
            assert samples.info["embedding_context"]["embedding"] == dict(solver.embedding)


def chains_are_good(chains, qubo, graph):
    """Check an embedding by its definition: connected chains, apart from each other, that touch where they must."""
    networkx = pytest.importorskip("networkx")
    used = [qubit for chain in chains.values() for qubit in chain]
    assert sorted(chains) == list(range(qubo.size))
    assert len(used) == len(set(used))
    assert all(networkx.is_connected(graph.subgraph(chain)) for chain in chains.values())
    for i, j in np.argwhere(np.triu(qubo.couplings)):
        assert any(graph.has_edge(a, b) for a in chains[i] for b in chains[j])


def test_embeddings_are_good_ones_and_repeatable(pegasus):
    graph = pegasus.to_networkx_graph()
    ring = np.roll(np.eye(40), 1, axis=0)
    sparse = QUBO(np.ones(40), ring + ring.T)
    alone = QUBO(np.ones(5), np.zeros((5, 5)))
    for qubo in (oracles.random_qubo(20, 0), sparse, alone, LOPSIDED):
        chains = embed(pegasus, qubo)
        chains_are_good(chains, qubo, graph)
        assert embed(graph, qubo) == chains
    # A clique of 40 has no room here, but a ring has.
    assert embed(pegasus, QUBO(np.ones(40), np.ones((40, 40)) - np.eye(40)), tries=1) == {}


def test_a_qubo_without_room_on_the_chip_is_refused_in_words(pegasus):
    large = QUBO(np.ones(60), np.ones((60, 60)) - np.eye(60))
    with pytest.raises(ValueError, match=r"no embedding found for QUBO\(size=60\).*quboselect.chip.reduce"):
        Dimod(pegasus).fixed(large, tries=1)


def test_an_embedding_of_another_problem_is_refused_in_words(pegasus):
    solver = Dimod(pegasus, 5).fixed(oracles.random_qubo(4, 0))
    with pytest.raises(ValueError, match="a chain for each of 5 bits, got 4 chains; embed anew with fixed"):
        solver(oracles.random_qubo(5, 0))
    ring = np.roll(np.eye(30), 1, axis=0)
    solver = Dimod(pegasus, 5).fixed(QUBO(np.ones(30), ring + ring.T))
    with pytest.raises(ValueError, match=r"no coupler between the chains of bits \d+ and \d+"):
        solver(QUBO(np.ones(30), np.ones((30, 30)) - np.eye(30)))


@needs_dimod
def test_a_sampler_without_a_chip_has_nothing_to_embed_on():
    pytest.importorskip("minorminer", reason="needs minorminer")
    with pytest.raises(
        ValueError, match="SimulatedAnnealingSampler has no graph of qubits: any QUBO fits it"
    ):
        Dimod(samplers.SimulatedAnnealingSampler).fixed(LOPSIDED)
