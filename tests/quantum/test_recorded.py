"""Recorded: three forms of files, the published hit rates, and data that belongs to another QUBO."""

import json

import numpy as np
import pytest

import solver_oracles as oracles
from authors import REFERENCE
from quboselect import QUBO, Solutions
from quboselect.quantum.recorded import Recorded, read_run, read_runs
from quboselect.solvers import Exhaustive, Tabu
from quboselect.testing import check_solver

needs_reference = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the authors' files are not beside the checkout"
)
# No bit is like another, so that a wrong order shows.
LOPSIDED = QUBO(
    [-1.0, -2.0, -4.0, -8.0], [[0, 0.1, 0.2, 0.3], [0.1, 0, 0.4, 0.5], [0.2, 0.4, 0, 0.6], [0.3, 0.5, 0.6, 0]]
)


def published(path, qubo, rows, counts, broken, **info):
    """Write records as the paper's authors did."""
    energies = qubo.energy(np.array(rows))
    record = [[row, e, c, b] for row, e, c, b in zip(rows, energies, counts, broken, strict=True)]
    path.write_text(json.dumps({"info": info, "record": record}))
    return path


def hit_rates(kind, pattern, name):
    """Return the share of optimal reads of each run, in percent."""
    qubo = QUBO.from_matrix(np.load(REFERENCE / f"qubo_{name}.npy"))
    minimum = qubo.energy(np.load(REFERENCE / "optima.npz")[f"x_{name}"])
    runs = read_runs(REFERENCE / kind / pattern.format(name), qubo)
    assert len(runs) == 16
    assert all(run.count.sum() == 1024 for run in runs)
    return np.array([100 * run.count[run.energy <= minimum + 1e-9].sum() / 1024 for run in runs])


@needs_reference
@pytest.mark.parametrize(
    ("kind", "pattern", "name", "mean", "spread"),
    [
        ("QA-results", "qubo_{}_*.json", "synth_10", 10.78, 5.12),
        ("QA-results", "qubo_{}_*.json", "waveform", 0.18, 0.18),
        ("QA-results", "qubo_{}_*.json", "ionosphere", 100 / 16384, 0.02),
        ("SA-results", "qubo_{}_*_sim.json", "synth_10", 100.0, 0.0),
        ("SA-results", "qubo_{}_*_sim.json", "waveform", 20.39, 1.40),
        ("SA-results", "qubo_{}_*_sim.json", "ionosphere", 21.04, 1.02),
    ],
)
def test_the_published_hit_rates_come_out_of_the_raw_files(kind, pattern, name, mean, spread):
    rates = hit_rates(kind, pattern, name)
    assert rates.mean() == pytest.approx(mean, abs=0.0051)
    assert rates.std() == pytest.approx(spread, abs=0.0051)


@needs_reference
def test_published_samples_of_one_qubo_are_refused_for_another():
    path = REFERENCE / "QA-results" / "qubo_waveform_0.json"
    with pytest.raises(ValueError, match="holds samples of 21 bits, but the QUBO has 10"):
        Recorded(path)(QUBO.from_matrix(np.load(REFERENCE / "qubo_synth_10.npy")))
    transposed = np.load(REFERENCE / "qubo_waveform.npy")[::-1, ::-1]
    with pytest.raises(ValueError, match="belongs to another QUBO"):
        Recorded(path)(QUBO.from_matrix(transposed))


def test_records_count_as_often_as_they_occurred_and_carry_their_chain_breaks(tmp_path):
    rows = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1]]
    path = published(tmp_path / "run.json", LOPSIDED, rows, [5, 2, 1], [0.0, 0.5, 0.6], problem_id="abc")
    samples = Recorded(path)(LOPSIDED)
    assert samples.x.tolist() == [[True] * 4, [False, False, False, True]]
    assert samples.count.tolist() == [2, 6]
    assert samples.energy == pytest.approx([-12.9, -8.0])
    assert samples.info["chain_break_fraction"] == pytest.approx([0.5, 0.1])
    assert samples.info["chain_breaks"] == pytest.approx(1.6 / 8)
    assert samples.info["problem_id"] == "abc"
    assert samples.info["source"] == "run.json"
    assert samples.bound == -np.inf


def test_several_files_are_taken_together(tmp_path):
    first = published(tmp_path / "a.json", LOPSIDED, [[1, 0, 0, 0], [0, 1, 0, 0]], [3, 1], [0.0, 0.2], id=1)
    second = published(tmp_path / "b.json", LOPSIDED, [[0, 1, 0, 0]], [4], [0.7], id=2)
    samples = Recorded([first, str(second)])(LOPSIDED)
    assert samples.count.tolist() == [5, 3]
    assert samples.info["chain_break_fraction"] == pytest.approx([0.6, 0.0])
    assert [run["id"] for run in samples.info["runs"]] == [1, 2]
    assert Recorded([first, second]) == Recorded((first, second))


def test_of_several_files_the_best_bound_is_kept(tmp_path):
    for name, bound in (("a", -20.0), ("b", -13.0)):
        Solutions.of(LOPSIDED, [1, 1, 1, 1], bound=bound).save(tmp_path / f"{name}.json", qubo=LOPSIDED)
    assert Recorded([tmp_path / "a.json", tmp_path / "b.json"])(LOPSIDED).bound == -13.0


def test_records_that_never_occurred_are_left_out(tmp_path):
    rows = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 1, 0, 0]]
    samples = Recorded(published(tmp_path / "s.json", LOPSIDED, rows, [5, 0, 2], [0.1, 0.9, 0.2]))(LOPSIDED)
    assert samples.x.tolist() == [[False, False, False, True], [False, True, False, False]]
    assert samples.count.tolist() == [5, 2]
    assert samples.info["chain_break_fraction"] == pytest.approx([0.1, 0.2])


def test_runs_are_read_in_the_order_of_their_numbers(tmp_path):
    for number in (0, 2, 10):
        published(tmp_path / f"run_{number}.json", LOPSIDED, [[1, 0, 0, 0]], [number + 1], [0.0])
    for where in (tmp_path, str(tmp_path), tmp_path / "run_*.json"):
        assert [int(run.count.sum()) for run in read_runs(where, LOPSIDED)] == [1, 3, 11]
    with pytest.raises(FileNotFoundError, match=r"finds files, and .*nothing.* finds none"):
        read_runs(tmp_path / "nothing*.json", LOPSIDED)


def test_replayed_proofs_are_those_of_the_solver(tmp_path):
    def replayed(qubo):
        Exhaustive(n_jobs=1)(qubo).save(tmp_path / "s.json", qubo=qubo)
        samples = Recorded(tmp_path / "s.json")(qubo)
        assert samples.proven
        return samples

    check_solver(replayed, success=1.0)


def test_a_whole_pool_comes_back_from_our_own_file_and_from_memory(tmp_path):
    qubo = oracles.random_qubo(10, 1)
    pool = Tabu()(qubo)
    pool.save(tmp_path / "s.json", qubo=qubo)
    for source in (tmp_path / "s.json", pool):
        samples = Recorded(source)(qubo)
        assert np.array_equal(samples.x, pool.x)
        assert np.array_equal(samples.count, pool.count)
        assert samples.info["rounds"] == pool.info["rounds"]


def test_samples_in_memory_are_refused_for_another_qubo_and_lose_their_bound():
    samples = Exhaustive()(LOPSIDED)
    assert samples.proven
    assert Recorded(samples)(LOPSIDED).bound == -np.inf
    with pytest.raises(ValueError, match="belongs to another QUBO"):
        Recorded(samples)(QUBO(LOPSIDED.linear[::-1], np.zeros((4, 4))))


def serialised(rows, energy, labels, *, packed, spins=False, **vectors):
    """Return a sample set in dimod's serialised form, schema 3."""
    bits = np.array(rows)
    if packed:
        words = np.zeros((len(bits), -(-bits.shape[1] // 32)), np.int64)
        for place in range(bits.shape[1]):
            words[:, place // 32] += bits[:, place].astype(np.int64) << (place % 32)
        data = words.tolist()
    else:
        data = (2 * bits - 1 if spins else bits).tolist()
    vectors = {"energy": energy, "num_occurrences": [1] * len(rows), **vectors}
    return {
        "type": "SampleSet",
        "version": {"sampleset_schema": "3.1.0"},
        "num_variables": bits.shape[1],
        "num_rows": len(bits),
        "sample_data": {"type": "array", "data": data, "use_bytes": False},
        "sample_packed": packed,
        "vectors": {name: {"type": "array", "data": list(values)} for name, values in vectors.items()},
        "variable_labels": labels,
        "variable_type": "SPIN" if spins else "BINARY",
        "info": {"timing": 3},
    }


@pytest.mark.parametrize("packed", [True, False])
@pytest.mark.parametrize("n", [4, 31, 32, 33, 70])
def test_sample_sets_of_dimod_are_read_without_it(tmp_path, packed, n):
    rng = np.random.default_rng(n)
    qubo = oracles.random_qubo(n, n, signed=True)
    rows = rng.integers(0, 2, (6, n))
    # Column c of the file is the bit labels[c].
    labels = rng.permutation(n)
    document = serialised(
        rows[:, labels], qubo.energy(rows).tolist(), labels.tolist(), packed=packed, num_occurrences=[2] * 6
    )
    (tmp_path / "s.json").write_text(json.dumps(document))
    samples = read_run(tmp_path / "s.json", qubo)
    expected = Solutions.of(qubo, rows, count=[2] * 6)
    assert np.array_equal(samples.x, expected.x)
    assert samples.count.sum() == 12
    assert samples.info["timing"] == 3


@pytest.mark.parametrize("packed", [True, False])
def test_spins_are_read_as_dimod_means_them(tmp_path, packed):
    document = serialised(
        [[1, 0, 0, 1]], [LOPSIDED.energy([1, 0, 0, 1])], [0, 1, 2, 3], packed=packed, spins=True
    )
    (tmp_path / "s.json").write_text(json.dumps(document))
    assert read_run(tmp_path / "s.json", LOPSIDED).best.tolist() == [True, False, False, True]


def test_what_dimod_writes_is_what_is_read(tmp_path):
    dimod = pytest.importorskip("dimod", reason="needs dimod")
    rng = np.random.default_rng(0)
    qubo = oracles.random_qubo(40, 0, signed=True)
    rows = rng.integers(0, 2, (9, 40))
    order = rng.permutation(40)
    for values, vartype in ((rows, "BINARY"), (2 * rows - 1, "SPIN")):
        for pack in (True, False):
            answer = dimod.SampleSet.from_samples(
                (values[:, order], order.tolist()),
                vartype,
                qubo.energy(rows),
                chain_break_fraction=[0.25] * 9,
                sort_labels=False,
            )
            (tmp_path / "s.json").write_text(json.dumps(answer.to_serializable(pack_samples=pack)))
            samples = Recorded(tmp_path / "s.json")(qubo)
            assert np.array_equal(samples.x, Solutions.of(qubo, rows).x)
            assert samples.info["chain_breaks"] == 0.25


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sample_data": {"data": "AAAA", "use_bytes": True}}, "its arrays are bytes; write it with"),
        ({"variable_labels": ["a", "b", "c", "d"]}, "its variables must be the integers from 0 to 3"),
        (
            {"vectors": {"energy": {"data": [-9.0]}, "chain_break_fraction": {"data": ["few"]}}},
            "chain_break_fraction must be finite numbers",
        ),
        ({"vectors": {}}, "cannot be read as samples: KeyError: 'energy'"),
    ],
)
def test_sample_sets_that_cannot_be_read_are_refused_in_words(tmp_path, change, words):
    document = serialised([[1, 0, 0, 1]], [0.0], [0, 1, 2, 3], packed=True)
    (tmp_path / "s.json").write_text(json.dumps({**document, **change}))
    with pytest.raises(ValueError, match=words):
        Recorded(tmp_path / "s.json")(LOPSIDED)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"record": [[[1, 0], 1.0]]}, "cannot be read as samples: IndexError"),
        ({"record": 3}, "cannot be read as samples: TypeError"),
        ({"record": []}, "holds samples of no rows of bits"),
        ({"record": [[[1, 0, 0, 0], float("nan"), 1, 0.0]]}, "1 of 1 stored energies are wrong"),
        ({"record": [[[1, 0, 0, 0], -1.0, 1.7, 0.0]]}, "num_occurrences must be whole numbers"),
        (
            {"record": [[[1, 0, 0, 0], -1.0, -1, 0.0]]},
            "num_occurrences must be whole numbers, and none negative",
        ),
        ({"record": [[[1, 0, 0, 0], -1.0, 1, "few"]]}, "chain_break_fraction must be finite numbers"),
        ({"answer": 42}, r"must be a file of samples.*it holds \['answer'\]"),
    ],
)
def test_other_files_are_refused_in_words(tmp_path, document, words):
    (tmp_path / "s.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=words):
        Recorded(tmp_path / "s.json")(LOPSIDED)


@pytest.mark.parametrize("source", [3, None, [1, 2], {"a.json"}])
def test_a_source_that_is_none_is_refused_in_words(source):
    with pytest.raises(TypeError, match="source must be a path, several paths, or Solutions"):
        Recorded(source)


def test_no_source_at_all_is_refused_in_words():
    with pytest.raises(ValueError, match="source must be at least one path, got none"):
        Recorded([])
