"""Devices are asked once, or as often as they may be, and what they answer is told as it is."""

import dataclasses
import logging

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.naive_bayes import GaussianNB

import path_oracles
from quboselect import (
    SelectQUBO,
    SelectQUBOCV,
    Solutions,
    alpha_path,
    criteria,
    importance,
    quantum,
    redundancy,
    solvers,
    stability,
)
from quboselect.datasets import load_ionosphere, make_synth
from quboselect.quantum import circuits
from quboselect.search.choice import choose, classical, quick


class Counted:
    """A device that answers with what it is told to, and counts its calls."""

    def __init__(self, answer, calls=1):
        self.answer, self.calls, self.asked = answer, calls, []

    def __call__(self, qubo, /):
        self.asked.append(qubo)
        return self.answer(qubo)

    def __deepcopy__(self, memo):
        return self


def exact(qubo):
    return solvers.Portfolio()(qubo)


def noisy(qubo):
    rng = np.random.default_rng(0)
    return Solutions.of(qubo, rng.random((400, qubo.size)) < 0.3)


@pytest.fixture(scope="module")
def ionosphere():
    return load_ionosphere(return_X_y=True)


def test_alpha_is_found_classically_and_the_device_is_asked_once(ionosphere):
    device = Counted(exact)
    selector = SelectQUBO.paper(5, solver=device).fit(*ionosphere)
    expected = SelectQUBO.paper(5).fit(*ionosphere)
    assert len(device.asked) == 1
    np.testing.assert_array_equal(selector.support_, expected.support_)
    assert selector.alpha_ == expected.alpha_
    assert selector.alpha_window_ == expected.alpha_window_
    assert selector.proven_
    assert selector.on_path_
    assert selector.path_.of_size(5) is not None


def test_what_a_poor_device_found_is_selected_and_the_gap_is_told(ionosphere):
    selector = SelectQUBO(k=5, solver=Counted(noisy)).fit(*ionosphere)
    expected = SelectQUBO(k=5).fit(*ionosphere)
    assert selector.support_.sum() == 5
    assert selector.energy_ > expected.energy_
    assert selector.bound_ == pytest.approx(expected.energy_)
    assert not selector.proven_
    assert not selector.on_path_
    answer = selector.solutions_.info["answer"]
    assert answer.count.sum() == 400
    fits = answer.x.sum(axis=1) == 5
    np.testing.assert_array_equal(selector.solutions_.count, answer.count[fits])
    np.testing.assert_array_equal(selector.solutions_.x, answer.x[fits])
    assert selector.alpha_window_ == (selector.alpha_, selector.alpha_)


def test_k_is_a_promise_even_where_no_read_keeps_it(ionosphere):
    device = Counted(lambda qubo: Solutions.of(qubo, np.zeros(qubo.size), count=[9]))
    with pytest.warns(
        UserWarning, match="none of the device's 9 reads has exactly 5 features: a classical solver's"
    ):
        selector = SelectQUBO(k=5, solver=device).fit(*ionosphere)
    assert selector.support_.sum() == 5
    assert selector.proven_
    assert selector.solutions_.info["answer"].x.sum() == 0


@pytest.mark.parametrize("most", [2, 12])
@pytest.mark.filterwarnings("ignore:none of the device's")
def test_the_device_searches_alpha_itself_in_at_most_so_many_calls(ionosphere, caplog, most):
    device = Counted(exact, calls=most)
    with caplog.at_level(logging.INFO, logger="quboselect"):
        selector = SelectQUBO.paper(5, solver=device).fit(*ionosphere)
    assert len(device.asked) <= most
    assert caplog.messages[0] == f"the device will be called at most {most} time(s)"
    assert sum(message.startswith("call ") for message in caplog.messages) == len(device.asked)
    assert selector.support_.sum() == 5
    assert selector.path_ is None
    if most == 12:
        assert selector.alpha_ == 0.90625  # as in the paper's table
        assert selector.get_support(indices=True).tolist() == [0, 2, 4, 5, 20]
        assert selector.solutions_.info["calls"] == len(device.asked) == 5


def test_a_device_is_held_to_k_at_one_alpha_by_a_penalty(ionosphere):
    for wishes in ({}, {"alpha": 0.3}, {"alpha": 0.95}, {"criterion": criteria.JMI()}):
        device = Counted(exact)
        selector = SelectQUBO(k=5, solver=device, **wishes).fit(*ionosphere)
        expected = SelectQUBO(k=5, **wishes).fit(*ionosphere)
        (asked,) = device.asked
        # What the device is asked for is the best of every size, and yet of five.
        assert solvers.Portfolio()(asked).best.sum() == 5
        np.testing.assert_array_equal(selector.support_, expected.support_)
        assert (selector.k_, selector.alpha_, selector.path_) == (5, expected.alpha_, None)
        assert selector.alpha_window_ == (selector.alpha_, selector.alpha_)
        # Energies are those of the problem, without the penalty.
        assert selector.energy_ == pytest.approx(expected.energy_)
        assert selector.bound_ == pytest.approx(expected.energy_)
        assert selector.proven_
        assert not selector.on_path_


def test_a_device_that_takes_k_is_given_it_and_no_penalty(ionosphere):
    @dataclasses.dataclass(frozen=True)
    class Held:
        calls: int = 1
        k: int | None = None

        def __call__(self, qubo, /):
            sizes.append(self.k)
            asked.append(qubo)
            return solvers.Portfolio(k=self.k)(qubo)

    sizes, asked = [], []
    selector = SelectQUBO(k=4, alpha=0.9, solver=Held()).fit(*ionosphere)
    assert sizes == [4]
    np.testing.assert_array_equal(asked[0].matrix, selector.result_.problem.at(0.9).matrix)
    assert (selector.k_, selector.alpha_, selector.proven_) == (4, 0.9, True)


def test_a_poor_device_gives_k_at_one_alpha_too_and_the_gap_is_told(ionosphere):
    expected = SelectQUBO(k=8, alpha=0.6).fit(*ionosphere)
    selector = SelectQUBO(k=8, alpha=0.6, solver=Counted(noisy)).fit(*ionosphere)
    assert (selector.support_.sum(), selector.alpha_) == (8, 0.6)
    assert selector.energy_ > selector.bound_ == pytest.approx(expected.energy_)
    assert not selector.proven_
    nothing = Counted(lambda qubo: Solutions.of(qubo, np.zeros(qubo.size), count=[9]))
    with pytest.warns(UserWarning, match="none of the device's 9 reads has exactly 8 features"):
        selector = SelectQUBO(k=8, alpha=0.6, solver=nothing).fit(*ionosphere)
    np.testing.assert_array_equal(selector.support_, expected.support_)


@pytest.mark.parametrize("alpha", [0.0, 0.4, 0.8, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_k_and_alpha_together_are_the_best_of_that_size_by_enumeration(seed, alpha):
    tradeoff = path_oracles.random_tradeoff(seed)
    for k in range(1, tradeoff.size):
        device = Counted(solvers.Exhaustive())
        choice = choose(tradeoff, device, k=k, alpha=alpha)
        assert len(device.asked) == 1
        assert choice.solutions.best.sum() == k
        least = path_oracles.minimum(tradeoff, alpha, k)
        assert choice.solutions.energy[0] == pytest.approx(least, abs=1e-9)
        assert choice.solutions.proven
        assert (choice.alpha, choice.path, choice.on_path) == (alpha, None, False)


def test_wishes_are_counted_in_k_at_one_alpha(ionosphere):
    X, y = ionosphere[0][:, :10], ionosphere[1]
    wishes = {"k": 4, "alpha": 0.7, "include": [1], "exclude": [3], "groups": [[5, 6]]}
    selector = SelectQUBO(**wishes, solver=Counted(exact)).fit(X, y)
    np.testing.assert_array_equal(selector.support_, SelectQUBO(**wishes).fit(X, y).support_)
    assert (selector.k_, selector.proven_) == (4, True)


@pytest.mark.parametrize("seed", range(10))
def test_the_bound_is_never_above_what_enumeration_finds(seed):
    tradeoff = path_oracles.random_tradeoff(seed)
    for k in range(1, tradeoff.size):
        device = Counted(lambda qubo: Solutions.of(qubo, np.eye(qubo.size, dtype=bool).cumsum(axis=0) > 0))
        alpha, _, samples, on_path, path, _ = choose(tradeoff, device, k=k)
        assert (samples.x.sum(axis=1) == k).all()
        least = path_oracles.minimum(tradeoff, alpha, None if path.of_size(k) else k)
        assert samples.bound <= least + 1e-9
        assert samples.proven == (samples.energy[0] <= least + 1e-9)
        if on_path:
            assert samples.energy[0] <= path_oracles.minimum(tradeoff, alpha) + 1e-8


def test_a_size_off_the_path_is_answered_too():
    choice = choose(path_oracles.never_size_two(), Counted(solvers.Exhaustive(k=2)), k=2)
    assert choice.passes == (1, 3)
    assert choice.path.of_size(2) is None
    assert choice.solutions.proven
    assert not choice.on_path


def test_nothing_else_calls_a_device(ionosphere):
    X, y = ionosphere[0][:, :8], ionosphere[1]
    device = Counted(exact)
    SelectQUBO(k="auto", solver=device).fit(X, y)
    assert len(device.asked) == 1
    SelectQUBOCV(GaussianNB(), k=[2, 3], cv=3, selector=SelectQUBO(solver=device)).fit(X, y)
    assert len(device.asked) == 2
    stability(SelectQUBO(k=3, solver=device), X, y, n_resamples=3)
    assert len(device.asked) == 3


def test_who_explores():
    device = quantum.VQE()
    assert isinstance(classical(device), solvers.Portfolio)
    assert classical(solvers.Tabu()) == solvers.Tabu()
    assert isinstance(quick(device), solvers.Tabu)
    assert quick(solvers.Anneal()) == solvers.Anneal()


@pytest.mark.parametrize(
    "device",
    [
        quantum.VQE(cvar=0.1, optimiser=circuits.SPSA(iterations=60)),
        quantum.QAOA(layers=3, cvar=0.1),
        quantum.QuantumAnnealing(time=50.0),
        quantum.VQE(calls=None, cvar=0.1),
    ],
    ids=["VQE", "QAOA", "annealing", "VQE uncounted"],
)
@pytest.mark.filterwarnings("ignore::quboselect.errors.OffPathWarning")
def test_the_same_call_runs_on_a_simulated_quantum_computer(device):
    X, y = make_synth(8, 3, 300, return_X_y=True)
    selector = SelectQUBO(k=3, criterion=criteria.Pairs(chance=0), solver=device).fit(X, y)
    assert selector.support_.sum() == 3
    assert clone(selector).solver == device
    if device.calls:
        assert selector.solutions_.info["answer"].count.sum() == 1024
        assert selector.bound_ <= selector.energy_


def test_the_same_call_runs_on_a_sampler_of_ocean(ionosphere):
    samplers = pytest.importorskip("dwave.samplers", reason="needs dwave-samplers")
    device = quantum.Dimod(samplers.SimulatedAnnealingSampler, num_reads=200, seed=1)
    selector = SelectQUBO.paper(5, solver=device).fit(*ionosphere)
    assert selector.get_support(indices=True).tolist() == [0, 2, 4, 5, 20]
    assert selector.proven_
    assert selector.solutions_.info["answer"].count.sum() == 200


@pytest.mark.parametrize("solver", [quantum.VQE, quantum.QAOA, quantum.QuantumAnnealing])
def test_a_wrong_number_of_calls_is_refused_in_words(solver):
    with pytest.raises(ValueError, match="calls must be an integer of at least 1"):
        solver(calls=0)


def test_the_path_can_be_explored_by_a_device_that_nobody_counts():
    tradeoff = path_oracles.random_tradeoff(3, most=6)
    path = alpha_path(tradeoff, quantum.QuantumAnnealing(time=20.0))
    assert not path.proven
    assert path.sizes[0] == 0


def test_every_call_of_a_search_counts(ionosphere):
    """What an early call read is as good as what the last one did."""
    turn = iter(range(9))
    first = np.zeros(34, bool)
    first[[0, 2, 4, 5, 20]] = True

    def answer(qubo):
        if next(turn) == 0:
            return Solutions.of(qubo, [first, np.ones(34, bool)], count=[7, 2])
        return Solutions.of(qubo, np.zeros(34))

    selector = SelectQUBO.paper(5, solver=Counted(answer, calls=3)).fit(*ionosphere)
    np.testing.assert_array_equal(selector.support_, first)
    assert selector.solutions_.count.tolist() == [7]


def test_reads_are_of_all_features_under_wishes(ionosphere):
    X, y = ionosphere[0][:, :10], ionosphere[1]
    selector = SelectQUBO(k=4, include=[1], exclude=[3], solver=Counted(exact)).fit(X, y)
    answer = selector.solutions_.info["answer"]
    assert answer.x.shape[1] == 10
    assert answer.x[:, 1].all()
    assert not answer.x[:, 3].any()
    assert answer.energy[0] == pytest.approx(selector.bound_)


def test_a_poor_device_says_nothing_of_the_path_at_one_alpha_either(ionosphere):
    selector = SelectQUBO(k=None, alpha=0.9, solver=Counted(noisy)).fit(*ionosphere)
    assert not selector.on_path_
    assert not selector.proven_
    assert selector.solutions_.info["answer"].count.sum() == 400
    assert SelectQUBO(k=None, alpha=0.9, solver=Counted(exact)).fit(*ionosphere).on_path_


def test_more_than_the_important_features_are_filled_up_by_the_least_redundant_read():
    R = np.zeros((5, 5))
    R[2, :2] = R[:2, 2] = 9.0
    given = {"importance": importance.Precomputed([1, 1, 0, 0, 0]), "redundancy": redundancy.Precomputed(R)}
    X, y = np.random.default_rng(0).normal(size=(20, 5)), np.arange(20) % 2
    rows = [[1, 1, 1, 0, 0], [1, 1, 0, 1, 0]]
    selector = SelectQUBO(k=3, solver=Counted(lambda qubo: Solutions.of(qubo, rows)), **given).fit(X, y)
    assert selector.support_.tolist() == rows[1]
    assert selector.proven_
    worse = SelectQUBO(k=3, solver=Counted(lambda qubo: Solutions.of(qubo, [[1, 0, 1, 1, 0]])), **given).fit(
        X, y
    )
    assert not worse.proven_
    assert not worse.on_path_


def test_chain_breaks_stay_with_the_answer(ionosphere):
    def broken(qubo):
        samples = noisy(qubo)
        info = {"chain_break_fraction": np.zeros(len(samples)), "chain_breaks": 0.25}
        return Solutions(samples.x, samples.energy, samples.count, info=info)

    samples = SelectQUBO(k=5, solver=Counted(broken)).fit(*ionosphere).solutions_
    assert samples.info["chain_breaks"] == 0.25
    assert "chain_break_fraction" not in samples.info
    assert len(samples.info["answer"].info["chain_break_fraction"]) == len(samples.info["answer"])


def test_a_device_is_not_paid_where_there_is_nothing_to_decide(ionosphere):
    X, y = ionosphere[0][:, :4], ionosphere[1]
    device = Counted(exact)
    SelectQUBO(k=4, solver=device).fit(X, y)
    SelectQUBO(k=2, include=[0, 1], solver=device).fit(X, y)
    assert not device.asked
