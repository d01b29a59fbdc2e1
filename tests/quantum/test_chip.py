"""The chip: what a report says, what settling and dropping may change, and the way back."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import make_classification

import solver_oracles as oracles
from quboselect import QUBO, SelectQUBO, Solutions
from quboselect.quantum import chip
from quboselect.quantum.chip import OnChip, fit_report, reduce
from quboselect.solvers import BranchAndBound, Exhaustive, Tabu
from quboselect.testing import check_solver, small_qubos

limits = st.fixed_dictionaries(
    {},
    optional={
        "interactions": st.integers(0, 12),
        "density": st.floats(0.0, 1.0),
        "degree": st.integers(0, 4),
        "effort": st.just(0.01),
    },
)


def subsets(n):
    return (np.arange(1 << n)[:, None] >> np.arange(n)) & 1 == 1


def errors(reduced):
    """Return, for every bit vector that is left, by how much its true energy exceeds that of the smaller QUBO."""
    y = subsets(reduced.qubo.size)
    true = reduced.original.energy(reduced.expand(y))
    return y, true - reduced.offset - reduced.qubo.energy(y)


@given(seed=st.integers(0, 10_000), signed=st.booleans(), limits=limits)
@settings(max_examples=60, deadline=None)
def test_true_energies_stay_within_the_stated_error_and_the_minimum_within_the_loss(seed, signed, limits):
    qubo = oracles.random_qubo(7, seed, signed=signed)
    reduced = reduce(qubo, **limits)
    y, error = errors(reduced)
    minimum = oracles.lowest_energy(qubo, None)
    best = y[np.argmin(reduced.qubo.energy(y))]
    assert qubo.energy(reduced.expand(best)) <= minimum + reduced.loss() + 1e-12
    for most in (None, *range(reduced.qubo.size + 1)):
        low, high = reduced.error(most)
        few = y.sum(axis=1) <= (y.shape[1] if most is None else most)
        assert low - 1e-12 <= error[few].min()
        assert error[few].max() <= high + 1e-12
        assert low <= 0.0 <= high
        assert reduced.loss(most) <= reduced.loss() + 1e-12


def test_the_error_of_all_ones_is_met_exactly_and_that_of_few_ones_is_tighter():
    reduced = reduce(QUBO(np.full(4, -1.0), 1.0 - np.eye(4)), interactions=0)
    _, error = errors(reduced)
    assert reduced.error() == (0.0, 6.0) == (error.min(), error.max())
    assert reduced.error(3) == (0.0, 3.0)
    assert reduced.error(1) == (0.0, 0.0)


@pytest.mark.parametrize("effort", [0.0, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_settling_alone_keeps_an_optimum_and_every_energy(effort, seed):
    for qubo in small_qubos(seed):
        reduced = reduce(qubo, effort=effort)
        y, error = errors(reduced)
        assert np.abs(error).max() <= 1e-12
        assert reduced.loss() == 0.0
        lowest = qubo.energy(reduced.expand(y)).min()
        assert lowest == pytest.approx(oracles.lowest_energy(qubo, None), abs=1e-12)


def test_a_relaxation_settles_bits_that_signs_leave_open():
    qubo = oracles.random_qubo(12, 3, signed=False)
    signs, more = reduce(qubo), reduce(qubo, effort=1.0)
    assert more.qubo.size < signs.qubo.size
    settled = signs.settled >= 0
    assert (more.settled[settled] == signs.settled[settled]).all()


def test_the_largest_couplings_are_kept_and_all_limits_are_met():
    qubo = QUBO(np.full(9, -1.0), oracles.random_qubo(9, 5, signed=False).couplings)
    size = qubo.couplings[np.triu_indices(9, 1)]
    kept = reduce(qubo, interactions=5).qubo.couplings
    assert sorted(kept[np.triu_indices(9, 1)])[-5:] == sorted(size)[-5:]
    assert np.count_nonzero(kept) == 10
    assert np.count_nonzero(reduce(qubo, density=0.25).qubo.couplings) == 2 * 9
    assert np.count_nonzero(reduce(qubo, degree=2).qubo.couplings, axis=1).max() == 2
    assert np.count_nonzero(reduce(qubo, degree=0).qubo.couplings) == 0
    assert np.array_equal(reduce(qubo, density=1.0, interactions=36, degree=8).qubo.couplings, qubo.couplings)


def test_expanding_puts_each_bit_back_in_its_place():
    # Bit 1 is always worth it and bit 3 never is.
    qubo = QUBO([-2.0, -9.0, -3.0, 1.0], np.array([[0, 1, 3, 0], [1, 0, 1, 0], [3, 1, 0, 0], [0, 0, 0, 0.0]]))
    reduced = reduce(qubo)
    assert reduced.settled.tolist() == [-1, 1, -1, 0]
    assert reduced.offset == -9.0
    assert reduced.qubo.linear.tolist() == [-1.0, -2.0]
    assert reduced.expand([0, 1]).tolist() == [False, True, True, False]
    assert reduced.expand([[0, 1], [1, 0]]).tolist() == [
        [False, True, True, False],
        [True, True, False, False],
    ]
    with pytest.raises(ValueError, match="x must be"):
        reduced.expand(np.zeros(5))


def test_samples_come_back_with_true_energies_their_counts_and_what_the_reduction_may_have_cost():
    qubo = oracles.random_qubo(8, 2, signed=False)
    reduced = reduce(qubo, interactions=6)
    rng = np.random.default_rng(0)
    x = rng.random((50, reduced.qubo.size)) < 0.4
    inner = Solutions.of(
        reduced.qubo, x, info={"chain_break_fraction": None, "certificate": "of another QUBO"}
    )
    broken = rng.random(len(inner))
    inner = Solutions(inner.x, inner.energy, inner.count, info={**inner.info, "chain_break_fraction": broken})
    samples = reduced.samples(inner)
    assert samples.energy == pytest.approx(qubo.energy(samples.x))
    assert samples.count.sum() == 50
    assert "certificate" not in samples.info
    for row, count, share in zip(inner.x, inner.count, broken, strict=True):
        (place,) = np.flatnonzero((samples.x == reduced.expand(row)).all(axis=1))
        assert samples.count[place] == count
        assert samples.info["chain_break_fraction"][place] == pytest.approx(share)


@pytest.mark.parametrize("limits", [{}, {"interactions": 3}, {"density": 0.3}, {"degree": 1, "effort": 0.5}])
def test_on_chip_is_a_solver_and_its_bound_holds(limits):
    exact = not set(limits) - {"effort"}
    check_solver(OnChip(Exhaustive(n_jobs=1), **limits), success=1.0 if exact else 0.0)


def test_the_loss_and_the_bound_that_on_chip_states_cover_the_true_minimum():
    for seed in range(30):
        qubo = oracles.random_qubo(9, seed, signed=seed % 2 == 0)
        # One bit is settled, so that the rest has an offset.
        qubo = QUBO(qubo.linear - 20.0 * (np.arange(9) == 4), qubo.couplings)
        samples = OnChip(BranchAndBound(), interactions=8)(qubo)
        minimum = oracles.lowest_energy(qubo, None)
        assert samples.info["chip"]["settled"] > 0
        assert samples.bound <= minimum + qubo.tolerance
        assert samples.energy[0] - minimum <= samples.info["chip"]["loss"] + 1e-12
        assert samples.info["chip"]["loss"] <= reduce(qubo, interactions=8).loss() + 1e-12


def test_with_nothing_left_the_solver_is_not_asked():
    def never(qubo):
        raise AssertionError("nothing is left to solve")

    samples = OnChip(never)(QUBO([-1.0, 1.0], np.zeros((2, 2))))
    assert samples.best.tolist() == [True, False]
    assert samples.proven
    assert samples.info["chip"]["settled"] == 2


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"interactions": -1}, "interactions must be an integer of at least 0, got -1"),
        ({"degree": 1.5}, r"degree must be an integer of at least 0, got 1\.5"),
        ({"density": 2}, "density must be a number from 0 to 1, got 2"),
        ({"effort": -1.0}, r"effort must be a number from 0 to inf, got -1\.0"),
    ],
)
def test_wrong_limits_are_refused_in_words(wrong, words):
    with pytest.raises(ValueError, match=words):
        reduce(QUBO([1.0], [[0.0]]), **wrong)
    with pytest.raises(ValueError, match=words):
        OnChip(Tabu(), **wrong)


@pytest.mark.parametrize("most", [1, 3])
def test_a_device_on_a_chip_is_called_no_more_often_than_it_may_be(most):
    sizes = []

    class Device:
        calls = most

        def __call__(self, qubo):
            sizes.append(qubo.size)
            # All there are, so that some have the size asked for.
            return Solutions.of(qubo, subsets(qubo.size))

    X, y = make_classification(120, 8, n_informative=4, random_state=0)
    device = OnChip(Device(), interactions=10)
    assert device.calls == most
    SelectQUBO(3, solver=device).fit(X, y)
    assert 1 <= len(sizes) <= most


def test_a_solver_that_nobody_counts_is_not_counted_on_a_chip_either():
    assert OnChip(Tabu()).calls is None


def test_a_solver_for_exactly_k_and_a_class_are_refused():
    with pytest.raises(ValueError, match="solver must not have a k"):
        OnChip(Tabu(k=2))
    with pytest.raises(TypeError, match=r"write Tabu\(\)"):
        OnChip(Tabu)


def test_without_a_chip_the_report_goes_by_size_and_density():
    small = fit_report(oracles.random_qubo(30, 0, signed=False))
    assert (small.size, small.interactions, small.degree, small.density) == (30, 435, 29, 1.0)
    assert small.fits
    dense = fit_report(QUBO(np.full(150, -1.0), np.ones((150, 150)) - np.eye(150)))
    assert dense.fits is False
    assert "unlikely; settle bits and drop couplings with quboselect.quantum.chip.reduce" in str(dense)
    ring = np.roll(np.eye(150), 1, axis=0)
    sparse = fit_report(QUBO(np.full(150, -1.0), ring + ring.T))
    assert sparse.fits is None
    assert "only a chip can tell" in str(sparse)
    assert fit_report(QUBO([1.0], [[0.0]])).density == 0.0


def test_the_report_names_the_dynamic_range():
    qubo = QUBO([-1.0, -1.0 / 1024], [[0.0, 1.0], [1.0, 0.0]])
    assert fit_report(qubo).dynamic_range == pytest.approx(np.log2(2 * 1024))
    assert "dynamic range: 11.0 bits, more than the 5 or so of a chip" in str(fit_report(qubo))


@pytest.fixture(scope="module")
def pegasus():
    pytest.importorskip("dwave.system", reason="needs dwave-system")
    from dwave.system.testing import MockDWaveSampler

    return MockDWaveSampler(topology_type="pegasus", topology_shape=[4])


def test_with_a_chip_the_report_embeds(pegasus):
    qubo = oracles.random_qubo(20, 0, signed=False)
    report = fit_report(qubo, pegasus)
    assert report.fits
    assert report.chip == 264
    assert report.largest_clique == 36
    assert 20 < report.qubits < 264
    assert 1 < report.longest_chain < 6
    words = f"{report.qubits} of 264 qubits, the longest chain has {report.longest_chain}"
    assert words in str(report)
    assert fit_report(qubo, pegasus.to_networkx_graph()) == report


def test_a_clique_too_large_for_the_chip_fits_once_couplings_are_dropped(pegasus):
    qubo = QUBO(np.full(40, -1.0), oracles.random_qubo(40, 0, signed=False).couplings)
    sparse = chip.reduce(qubo, degree=3).qubo
    assert fit_report(sparse, pegasus).fits
    ring = pytest.importorskip("networkx").cycle_graph(12)
    report = fit_report(oracles.random_qubo(6, 0, signed=False), ring)
    assert report.fits is False
    assert report.largest_clique == 0
    assert "no embedding found on 12 qubits" in str(report)
