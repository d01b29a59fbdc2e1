"""Wide tables: the answers of the whole matrix, bounds that hold for all features, and words that are true."""

import pickle
import warnings

import numpy as np
import pytest

from quboselect import Constraints, SelectQUBO, Tradeoff, best_subset, criteria, proof, redundancy, solvers
from quboselect.errors import OffPathWarning, Refuted
from quboselect.qubo import Solutions
from quboselect.redundancy.rows import Rows
from quboselect.search.units import Units
from quboselect.search.wide import choose_wide, generation, redundancy_rows
from quboselect.search.wide import selection as wide
from quboselect.tables.table import as_table
from wide_oracles import energies, lowest, neighbours, random_wide, wide_choice

SEEDS = range(36)
PAPER = redundancy.MutualInformation(bins=20, edges="quantile")  # too many codes to count all pairs at once


@pytest.fixture
def small_core(monkeypatch):
    """Let cores start with next to nothing, so that most of a small table is outside."""
    for name, value in {"FIRST": 1, "NEAR": 1, "BATCH": 1}.items():
        monkeypatch.setattr(generation, name, value)
    monkeypatch.setattr(wide, "FEW", 0)


@pytest.fixture
def everything_is_wide(monkeypatch):
    monkeypatch.setattr(wide, "WIDE", 0)


def blocks(seed=0, n=300, samples=150):
    """Return a table of which 24 features say something, in blocks that move together."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, samples)
    X = rng.normal(size=(samples, n))
    for start in range(0, 24, 4):
        shared = rng.normal(size=samples) + y * rng.uniform(0.7, 2.0)
        X[:, start : start + 4] = 0.7 * shared[:, None] + 0.7 * X[:, start : start + 4]
    return X, y


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_bounds_hold_for_the_whole_table_and_proofs_are_true(small_core, monkeypatch, seed, whole):
    n = 10 + seed % 3
    monkeypatch.setattr(wide, "FEW", 8 if seed % 4 == 0 else 0)
    importance, R, constraints = random_wide(seed, n)
    for k in (1, 2, 4):
        if not constraints.kept <= k <= constraints.kept + constraints.free:
            continue
        chosen = wide_choice(importance, R, constraints, k=k, whole=whole)
        solutions, x = chosen.solutions, chosen.solutions.best
        assert np.unique(constraints.unit[x]).size == k
        energy = energies(importance, R, constraints.cost, chosen.alpha, x[None])[0]
        assert solutions.energy[0] == pytest.approx(energy, abs=1e-9)
        best = lowest(importance, R, constraints, chosen.alpha, None if chosen.on_path else k)
        assert solutions.bound <= best + 1e-9
        if solutions.proven:
            assert energy == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("power", [-190, -37, -20, 16, 38])
def test_at_any_scale_of_redundancy_a_proof_is_true_or_the_scale_is_refused(small_core, power):
    for seed in range(12):
        importance, R, constraints = random_wide(seed, 10)
        scaled = R.astype(np.float64) * 10.0**power
        k = constraints.kept + 2
        if abs(power) > 30:
            with pytest.raises(ValueError, match=r"from 1e-30 to 1e\+30"):
                wide_choice(importance, scaled, constraints, k=k, whole=True)
            continue
        chosen = wide_choice(importance, scaled, constraints, k=k, whole=True)
        rounded = scaled.astype(np.float32).astype(np.float64)
        energy = energies(importance, rounded, constraints.cost, chosen.alpha, chosen.solutions.best[None])[0]
        best = lowest(importance, rounded, constraints, chosen.alpha, None if chosen.on_path else k)
        if chosen.solutions.proven:
            assert energy == pytest.approx(best, rel=1e-8)


@pytest.mark.parametrize("alpha", [0.4, 2 / 3, 0.9])
def test_a_copy_in_the_place_of_its_twin_changes_nothing(alpha):
    for seed in range(30):
        rng = np.random.default_rng(seed)
        two, place = np.float32(rng.random((2, 2))), np.arange(12) % 2
        R = np.float32(two + two.T)[np.ix_(place, place)]
        np.fill_diagonal(R, 0.0)
        units = Units(Tradeoff(rng.random(2)[place], Rows.of(R)), Constraints.of(12))
        change = generation.changes(units, np.array([0, 1]), alpha, add=False, out=np.array([0]))
        np.testing.assert_allclose(change[2::2], 0.0, atol=1e-14)


def test_the_tables_of_these_tests_have_cores_that_are_small_and_proofs_that_reach_beyond_and_do_not(
    small_core,
):
    told = []
    for seed in range(24):
        importance, R, constraints = random_wide(seed, 11)
        chosen = wide_choice(importance, R, constraints, k=constraints.kept + 1, whole=seed % 2 == 0)
        told.append((chosen.solutions.info["wide"].size < constraints.free, chosen.solutions.proven))
    assert {(True, True), (True, False)} <= set(told)


@pytest.mark.parametrize("seed", range(24))
def test_no_single_addition_removal_or_exchange_improves_the_subset(small_core, seed):
    importance, R, constraints = random_wide(seed, 11)
    k = constraints.kept + min(3, constraints.free)
    chosen = wide_choice(importance, R, constraints, k=k, whole=True)
    assert chosen.solutions.info["wide"].closed
    x = chosen.solutions.best
    others = neighbours(x, constraints, same_size=not chosen.on_path)
    for alpha in chosen.window:
        here, there = (energies(importance, R, constraints.cost, alpha, rows) for rows in (x[None], others))
        assert there.min(initial=np.inf) >= here[0] - 1e-8


@pytest.mark.parametrize("alpha", [0.0, 0.3, 0.6, 0.9, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_one_alpha_is_solved_in_the_whole_table(small_core, seed, alpha):
    importance, R, constraints = random_wide(seed, 11)
    chosen = wide_choice(importance, R, constraints, alpha=alpha, whole=seed % 2 == 0)
    best = lowest(importance, R, constraints, alpha)
    assert chosen.solutions.bound <= best + 1e-9
    assert (chosen.alpha, chosen.path) == (alpha, None)
    energy = energies(importance, R, constraints.cost, alpha, chosen.solutions.best[None])[0]
    assert chosen.solutions.energy[0] == pytest.approx(energy, abs=1e-9)
    if chosen.solutions.proven:
        assert energy == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_where_noise_is_outside_the_proof_reaches_the_whole_table(k, whole):
    X, y = blocks()
    selector = SelectQUBO.paper(k).fit(X, y)
    rows = PAPER.rows(X)
    tradeoff = Tradeoff(selector.importance_, Rows.of(rows.matrix()) if whole else rows)
    chosen = choose_wide(tradeoff, Constraints.of(300), solvers.Portfolio(), k=k)
    core = chosen.solutions.info["wide"]
    assert core.size < core.of == 300
    assert chosen.solutions.proven
    assert core.proven
    assert core.useful == 0
    np.testing.assert_array_equal(chosen.solutions.best, selector.support_)
    if whole:
        assert "proven for the whole table" in core.text
        assert chosen.on_path == selector.on_path_
        np.testing.assert_allclose(chosen.window, selector.alpha_window_, atol=1e-6)
    else:
        assert f"proven for the whole table, among subsets of {k} at this alpha" in core.text
        assert core.rows < 300
        assert not chosen.on_path
        assert chosen.window == (chosen.alpha, chosen.alpha)


@pytest.mark.parametrize(
    "wishes",
    [
        {"include": [250, 3]},
        {"exclude": [0, 1, 2, 3]},
        {"cost": np.linspace(0.0, 3.0, 300)},
        {"groups": [[0, 4, 299], [1, 5]], "include": [7]},
    ],
    ids=lambda wishes: "-".join(wishes),
)
def test_wishes_are_fulfilled_as_in_the_ordinary_route(everything_is_wide, monkeypatch, wishes):
    X, y = blocks(1)
    far = SelectQUBO.paper(6, **wishes).fit(X, y)
    assert far.solutions_.info["wide"].size < 300
    monkeypatch.setattr(wide, "WIDE", 300)
    near = SelectQUBO.paper(6, **wishes).fit(X, y)
    assert "wide" not in near.solutions_.info
    np.testing.assert_array_equal(far.support_, near.support_)
    assert (far.k_, far.on_path_, far.proven_) == (6, near.on_path_, near.proven_)
    assert far.energy_ == pytest.approx(near.energy_, rel=1e-5)
    at = far.path_.at(far.alpha_)
    np.testing.assert_array_equal(at.x, far.support_)
    assert at.energy(far.alpha_) == pytest.approx(far.energy_)
    # At an alpha of its own, too, for subsets of six alone.
    near = SelectQUBO(k=6, **wishes).fit(X, y)
    monkeypatch.setattr(wide, "WIDE", 0)
    far = SelectQUBO(k=6, **wishes).fit(X, y)
    assert "wide" in far.solutions_.info
    np.testing.assert_array_equal(far.support_, near.support_)
    assert (far.k_, far.on_path_, far.proven_) == (6, False, near.proven_)
    assert (far.alpha_, far.path_, far.alpha_window_) == (5 / 6, None, (5 / 6, 5 / 6))
    assert far.energy_ == pytest.approx(near.energy_, rel=1e-5)


def test_the_path_claims_nothing_that_was_not_proven_of_all_features(small_core):
    for seed in range(12):
        importance, R, constraints = random_wide(seed, 11)
        k = constraints.kept + min(2, constraints.free)
        path = wide_choice(importance, R, constraints, k=k, whole=seed % 2 == 0).path
        for alpha in np.linspace(0.0, 1.0, 41):
            best = lowest(importance, R, constraints, alpha)
            assert path.bound(alpha) <= best + 1e-9
            if path.at(alpha).proven:
                assert path.at(alpha).energy(alpha) == pytest.approx(best, abs=1e-8)


@pytest.mark.parametrize("k", [1, 2, 11, 12])
def test_exactly_k_come_back_from_copies_and_constants(small_core, k):
    importance = np.r_[np.ones(6), np.zeros(6)]
    R = np.zeros((12, 12), np.float32)
    R[:6, :6] = 1.0 - np.eye(6)
    chosen = wide_choice(importance, R, Constraints.of(12), k=k, whole=True)
    assert chosen.solutions.best.sum() == k
    best = lowest(importance, R, Constraints.of(12), chosen.alpha, None if chosen.on_path else k)
    assert chosen.solutions.bound <= best + 1e-12


def test_beyond_all_importance_the_least_redundant_fill_up(small_core):
    rng = np.random.default_rng(0)
    R = np.triu(rng.random((14, 14)), 1).astype(np.float32)
    R += R.T
    importance = np.r_[1.0, 2.0, np.zeros(12)]
    chosen = wide_choice(importance, R, Constraints.of(14), k=3)
    beside = R[:2, 2:].sum(axis=0)
    assert np.flatnonzero(chosen.solutions.best).tolist() == [0, 1, 2 + int(beside.argmin())]
    assert (chosen.alpha, chosen.solutions.proven) == (1.0, True)


def test_a_size_off_the_path_is_said_as_in_the_ordinary_route(small_core, monkeypatch, everything_is_wide):
    R = np.ones((12, 12), np.float32)
    R[1:, 1:] = 0.1
    np.fill_diagonal(R, 0.0)
    importance = np.r_[10.0, np.full(11, 5.0) - 1e-3 * np.arange(11)]
    far = wide_choice(importance, R, Constraints.of(12), k=2, whole=True)
    near = best_subset(Tradeoff(importance, R.astype(np.float64)), k=2)
    assert far.passes == near.passes
    assert not far.on_path
    np.testing.assert_array_equal(far.solutions.best, near.solutions.best)


def test_a_solver_without_k_and_a_device_work_on_the_core(everything_is_wide):
    X, y = blocks(2)
    asked = []

    def plain(qubo):
        asked.append(qubo.size)
        return solvers.Tabu()(qubo)

    best = SelectQUBO.paper(4).fit(X, y)
    np.testing.assert_array_equal(SelectQUBO.paper(4, solver=plain).fit(X, y).support_, best.support_)
    assert max(asked) < 300

    class Device:
        calls = 1

        def __call__(self, qubo):
            asked.append("device")
            found = solvers.Tabu()(qubo)
            return Solutions.of(qubo, found.x)

    read = SelectQUBO.paper(4, solver=Device()).fit(X, y)
    assert asked.count("device") == 1
    assert read.support_.sum() == 4
    assert read.solutions_.info["answer"].x.shape[1] == 300
    np.testing.assert_array_equal(read.support_, best.support_)


def test_up_to_24_000_features_the_matrix_is_made_in_single_precision_and_beyond_rows_are(
    everything_is_wide, monkeypatch
):
    X, y = blocks()
    for few, expected in (
        (SelectQUBO(k=3), criteria.Pairs().redundancy(X, y)),
        (SelectQUBO(k=3, criterion=criteria.Pairs(together=0)), redundancy.MutualInformation()(X)),
        (SelectQUBO.paper(3), PAPER(X)),
    ):
        selector = few.fit(X, y)
        assert selector.redundancy_.dtype == np.float32
        np.testing.assert_allclose(selector.redundancy_, expected, atol=1e-6)
    monkeypatch.setattr(wide, "MATRIX", 100)
    rows = SelectQUBO.paper(3).fit(X, y)
    assert isinstance(rows.redundancy_, Rows)
    assert rows.redundancy_.computed == rows.solutions_.info["wide"].rows < 300
    np.testing.assert_array_equal(rows.support_, selector.support_)
    np.testing.assert_array_equal(rows.transform(X), X[:, rows.support_])


def test_after_a_fit_few_rows_are_kept_and_none_are_pickled(everything_is_wide, monkeypatch):
    X, y = blocks()
    monkeypatch.setattr(wide, "MATRIX", 100)
    monkeypatch.setattr(wide, "KEPT", 10 * 300 * 4)
    selector = SelectQUBO.paper(3).fit(X, y)
    assert selector.redundancy_.kept == 10 * 300 * 4 < selector.redundancy_.computed * 300 * 4
    again = pickle.loads(pickle.dumps(selector))
    assert again.redundancy_.kept == 0
    chosen = np.flatnonzero(selector.support_)
    np.testing.assert_array_equal(again.redundancy_.among(chosen), selector.redundancy_.among(chosen))
    np.testing.assert_array_equal(again.transform(X), selector.transform(X))


@pytest.mark.parametrize("matrix", [100, 24_000], ids=["rows", "matrix"])
@pytest.mark.parametrize(
    ("wanted", "measure"),
    [
        ({"k": 6}, PAPER),
        ({"k": None, "alpha": 0.9}, PAPER),
        ({"k": None, "alpha": 0.95, "include": [7]}, redundancy.Correlation()),
        ({"k": 6, "alpha": 0.9}, PAPER),
    ],
    ids=["k", "alpha", "correlation", "both"],
)
def test_whether_there_is_a_certificate_is_said_and_it_holds(
    everything_is_wide, monkeypatch, wanted, measure, matrix
):
    monkeypatch.setattr(wide, "MATRIX", matrix)
    selector = SelectQUBO(redundancy=measure, **wanted).fit(*blocks())
    core, certified = selector.result_.core, selector.result_.certified
    assert selector.proven_
    assert core.certified == ("alpha" in wanted)
    whole = wanted["k"] is not None and "alpha" in wanted and matrix > 100
    assert certified[0].size == (core.of if whole else core.size)
    if core.certified:
        proof.verify(*certified)
        more = ", and one of the whole table can be made" if whole else "; what was proven beyond it has none"
        beyond = f" of the core{more}" if core.size < core.of else ""
        assert core.text.endswith(f"; with a certificate{beyond}")
    else:
        assert core.text.endswith("; without a certificate")
        with pytest.raises(Refuted, match="carry no certificate"):
            proof.verify(*certified)


def test_a_certificate_of_the_whole_table_is_made_where_the_proof_reaches_beyond_the_core(
    everything_is_wide, monkeypatch
):
    monkeypatch.setattr(wide, "FEW", 0)
    result = SelectQUBO(k=6, alpha=0.95, redundancy=PAPER).fit(*blocks()).result_
    assert result.core.size < result.core.of == 300
    assert result.core.text.endswith("and one of the whole table can be made")
    qubo, found, k = result.certified
    assert (qubo.size, k) == (300, 6)
    proof.verify(qubo, found, k)
    np.testing.assert_array_equal(found.best, result.support)
    assert found.energy[0] == pytest.approx(result.energy, abs=1e-9)
    monkeypatch.setattr("quboselect.search.wide.whole.CERTIFIED", 299)
    assert result.certified[0].size == result.core.size


def test_the_size_that_was_proven_counts_what_is_included(everything_is_wide, monkeypatch):
    monkeypatch.setattr(wide, "MATRIX", 100)
    selector = SelectQUBO.paper(6, groups=[[0, 4]], include=[7]).fit(*blocks())
    assert (selector.proven_, selector.k_) == (True, 6)
    assert "the whole table, among subsets of 6 at this alpha" in selector.solutions_.info["wide"].text


@pytest.mark.parametrize(
    ("size", "work", "affordable"), [(20_000, 500, True), (20_000, 50_000, False), (30_000, 1, False)]
)
def test_whether_all_rows_are_made_depends_on_what_they_cost(monkeypatch, size, work, affordable):
    class Measure:
        tables = True

        def rows(self, table):
            return Rows(size, lambda a, b: a, work=work)

    class Wide:
        n_features = size

    monkeypatch.setattr(Rows, "matrix", lambda self: np.zeros((2, 2), np.float32))
    assert (redundancy_rows(Measure(), Wide()).known is not None) == affordable


def test_a_measure_without_rows_and_a_narrow_table_take_the_ordinary_route(everything_is_wide, monkeypatch):
    X, y = blocks(n=40)
    nothing = SelectQUBO(k=3, redundancy=lambda X: np.zeros((X.shape[1], X.shape[1])))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OffPathWarning)
        assert "wide" not in nothing.fit(X, y).solutions_.info
    assert "wide" in SelectQUBO(k=3, redundancy=redundancy.Correlation()).fit(X, y).solutions_.info
    monkeypatch.setattr(wide, "WIDE", 2000)
    assert "wide" not in SelectQUBO(k=3).fit(X, y).solutions_.info
    assert redundancy_rows(lambda X: X, as_table(X)) is None


def test_all_features_are_more_than_a_core_can_hold_but_not_more_than_k(monkeypatch):
    monkeypatch.setattr(wide, "MOST", 8)
    importance, R, _ = random_wide(0, 12)
    everything = wide_choice(importance, R, Constraints.of(12), k=12)
    assert everything.solutions.best.all()
    assert everything.solutions.proven
    with pytest.raises(ValueError, match="k must be at most 8, or all, in a table as wide as this, got 10"):
        wide_choice(importance, R, Constraints.of(12), k=10)


def test_a_core_that_may_not_grow_says_so(small_core, monkeypatch):
    monkeypatch.setattr(wide, "MOST", 3)
    importance, R, constraints = np.ones(12), np.zeros((12, 12), np.float32), Constraints.of(12)
    chosen = wide_choice(importance, R, constraints, alpha=0.5, whole=True)
    assert not chosen.solutions.info["wide"].closed
    assert "would improve it were left" in chosen.solutions.info["wide"].text
    assert not chosen.solutions.proven
    assert chosen.solutions.bound <= lowest(importance, R, constraints, 0.5)


def test_a_solver_that_may_not_be_asked_again_says_what_is_left_outside(small_core, monkeypatch):
    monkeypatch.setattr(wide, "grown_core", lambda *_: (np.array([9, 10, 11]), False))
    monkeypatch.setattr(wide, "AGAIN", 1)
    importance, R, constraints = np.arange(12.0)[::-1], np.zeros((12, 12), np.float32), Constraints.of(12)
    R[:, :] = 0.1 - 0.1 * np.eye(12)
    chosen = wide_choice(importance, R, constraints, k=2, whole=True)
    assert chosen.solutions.info["wide"].closed is False
    assert chosen.solutions.best.sum() == 2
    best = lowest(importance, R, constraints, chosen.alpha, None if chosen.on_path else 2)
    assert chosen.solutions.bound <= best + 1e-9
    monkeypatch.setattr(wide, "AGAIN", 8)
    again = wide_choice(importance, R, constraints, k=2, whole=True)
    assert np.flatnonzero(again.solutions.best).tolist() == [0, 1]
    assert again.solutions.info["wide"].closed is True


def test_auto_takes_a_wide_table(everything_is_wide):
    X, y = blocks(n=30)
    assert 1 <= SelectQUBO(k="auto").fit(X, y).k_ < 30


def test_importance_of_other_features_is_refused():
    with pytest.raises(ValueError, match=r"2 numbers .* shape \(3, 3\)"):
        Tradeoff([1.0, 2.0], Rows.of(np.zeros((3, 3))))


def test_a_whole_path_of_rows_on_demand_is_refused(everything_is_wide, monkeypatch):
    monkeypatch.setattr(wide, "MATRIX", 100)
    selector = SelectQUBO.paper(3).fit(*blocks())
    with pytest.raises(ValueError, match=r"path .* 300: "):
        selector.path()


def test_a_frame_keeps_its_names_and_warnings_come_as_always(everything_is_wide):
    pd = pytest.importorskip("pandas")
    X, y = blocks(n=60)
    frame = pd.DataFrame(X, columns=[f"gene {i}" for i in range(60)])
    selector = SelectQUBO(k=4, include=["gene 59"]).fit(frame, y)
    assert "gene 59" in selector.get_feature_names_out()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OffPathWarning)
        with pytest.warns(UserWarning, match="All the features will be returned"):
            assert SelectQUBO(k=70).fit(frame, y).support_.all()
