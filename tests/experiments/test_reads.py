"""Reads: rates, sorted energies and bits against reads written out one by one; the published runs, as printed."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from reads import HitRate, bit_counts, hit_rate, read_runs, sorted_energies

from authors import REFERENCE, needs
from quboselect import QUBO, Solutions
from quboselect.solvers import Exhaustive, Portfolio

PAIR = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])
# No bit is like another, so that a wrong order shows.
LOPSIDED = QUBO(
    [-1.0, -2.0, -4.0, -8.0], [[0, 0.1, 0.2, 0.3], [0.1, 0, 0.4, 0.5], [0.2, 0.4, 0, 0.6], [0.3, 0.5, 0.6, 0]]
)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 40))
def test_merged_solutions_say_what_the_single_reads_say(seed, runs, reads):
    rng = np.random.default_rng(seed)
    qubo = QUBO.from_matrix(rng.normal(size=(4, 4)))
    rows = rng.integers(0, 2, (runs, reads, 4))
    every = [Solutions.of(qubo, run) for run in rows]
    minimum = Exhaustive()(qubo).energy[0]
    energies = np.array([[qubo.energy(read) for read in run] for run in rows])
    rate = hit_rate(every, minimum)
    np.testing.assert_allclose(rate.shares, (energies <= minimum + 1e-9).mean(axis=1))
    assert (rate.hits, rate.reads) == ((energies <= minimum + 1e-9).sum(), runs * reads)
    assert rate.mean == pytest.approx(rate.shares.mean())
    assert rate.std == pytest.approx(np.sqrt(((rate.shares - rate.shares.mean()) ** 2).sum() / runs))
    band = sorted_energies(every)
    np.testing.assert_allclose(band.mean, np.sort(energies, axis=1).mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(band.std, np.sort(energies, axis=1).std(axis=0), atol=1e-12)
    bits = bit_counts(every)
    np.testing.assert_allclose(bits.mean, rows.sum(axis=1).mean(axis=0))
    np.testing.assert_allclose(bits.std, rows.sum(axis=1).std(axis=0))
    assert band.runs == bits.runs == runs


def test_runs_of_different_lengths_weigh_the_same_in_a_rate_and_have_no_common_order():
    runs = [Solutions.of(PAIR, [[1, 0]]), Solutions.of(PAIR, [[1, 0], [1, 1]], count=[1, 3])]
    rate = hit_rate(runs, -1.0)
    assert (rate.mean, rate.hits, rate.reads) == (0.625, 2, 5)
    with pytest.raises(ValueError, match=r"equally many reads, got \[1, 4\]"):
        sorted_energies(runs)


def test_rates_are_written_as_in_the_paper():
    assert str(HitRate(np.array([0.1, 0.3]), 400, 2000)) == "20.00 ± 10.00 %"
    assert str(HitRate(np.array([0.0, 0.01]), 9, 2000)) == "9 of 2000 reads"
    assert str(HitRate(np.array([0.0]), 0, 1024)) == "0 of 1024 reads"
    assert str(HitRate(np.array([0.25]), 256, 1024)) == "25.00 %"


def test_a_read_below_the_minimum_is_an_error():
    run = Solutions.of(PAIR, [[1, 0]])
    with pytest.raises(ValueError, match=r"minimum.* got -0\.5, but a read has -1"):
        hit_rate([run], -0.5)
    assert hit_rate([run], -1.0 + 1e-10).hits == 1
    assert hit_rate([run], -1.0 - 1e-10).hits == 1
    assert hit_rate([run], -1.0 - 1e-8).hits == 0
    assert hit_rate([run], -1.1, tolerance=0.2).hits == 1


def write_run(path, qubo, rows, counts):
    """Write a file as the paper's authors did."""
    energies = qubo.energy(np.array(rows))
    record = [[row, energy, count, 0.0] for row, energy, count in zip(rows, energies, counts, strict=True)]
    path.write_text(json.dumps({"info": {}, "record": record}))


def test_reads_count_as_often_as_they_occurred(tmp_path):
    rows = [[0, 0, 0, 1], [1, 1, 1, 1], [0, 0, 0, 1], [0, 1, 0, 0]]
    write_run(tmp_path / "run.json", LOPSIDED, rows, [5, 2, 1, 0])
    (run,) = read_runs(tmp_path / "run.json", LOPSIDED)
    assert run.x.tolist() == [[True] * 4, [False, False, False, True]]
    assert run.count.tolist() == [2, 6]
    assert run.energy == pytest.approx([-12.9, -8.0])
    assert run.bound == -np.inf


def test_runs_are_read_in_the_order_of_their_numbers(tmp_path):
    for number in (0, 2, 10):
        write_run(tmp_path / f"run_{number}.json", LOPSIDED, [[1, 0, 0, 0]], [number + 1])
    assert [int(run.count.sum()) for run in read_runs(tmp_path / "run_*.json", LOPSIDED)] == [1, 3, 11]
    with pytest.raises(FileNotFoundError, match=r"nothing\*\.json"):
        read_runs(tmp_path / "nothing*.json", LOPSIDED)


def test_reads_of_another_qubo_are_refused(tmp_path):
    path = tmp_path / "run.json"
    write_run(path, LOPSIDED, [[1, 0, 0, 0], [0, 0, 0, 0]], [1, 1])
    with pytest.raises(ValueError, match=r"run\.json should hold rows of 2 bits, got .*\(2, 4\)"):
        read_runs(path, PAIR)
    with pytest.raises(ValueError, match=r"another QUBO: 1 of 2 .* with -1, and the QUBO gives -8"):
        read_runs(path, QUBO(LOPSIDED.linear[::-1], np.zeros((4, 4))))
    path.write_text(json.dumps({"record": [[[1, 0, 0, 0], float("nan"), 1, 0.0]]}))
    with pytest.raises(ValueError, match=r"another QUBO: 1 of 1 .* with nan"):
        read_runs(path, LOPSIDED)


@needs(REFERENCE)
@pytest.mark.parametrize(
    ("pattern", "name", "said"),
    [
        ("QA-results/qubo_{}_*.json", "synth_10", "10.78 ± 5.12 %"),
        ("QA-results/qubo_{}_*.json", "waveform", "0.18 ± 0.18 %"),
        ("QA-results/qubo_{}_*.json", "ionosphere", "1 of 16384 reads"),
        ("SA-results/qubo_{}_*_sim.json", "synth_10", "100.00 ± 0.00 %"),
        ("SA-results/qubo_{}_*_sim.json", "waveform", "20.39 ± 1.40 %"),
        ("SA-results/qubo_{}_*_sim.json", "ionosphere", "21.04 ± 1.02 %"),
    ],
)
def test_the_published_runs_say_what_the_paper_prints(pattern, name, said):
    qubo = QUBO.from_matrix(np.load(REFERENCE / f"qubo_{name}.npy"))
    proven = Portfolio()(qubo)
    assert proven.proven
    assert qubo.energy(np.load(REFERENCE / "optima.npz")[f"x_{name}"]) == pytest.approx(proven.energy[0])
    runs = read_runs(REFERENCE / pattern.format(name), qubo)
    assert len(runs) == 16
    assert str(hit_rate(runs, proven.energy[0])) == said
    assert sorted_energies(runs).mean.size == 1024


@needs(REFERENCE)
def test_published_reads_of_one_qubo_are_refused_for_another():
    path = REFERENCE / "QA-results" / "qubo_waveform_0.json"
    with pytest.raises(ValueError, match=r"rows of 10 bits, got .*21"):
        read_runs(path, QUBO.from_matrix(np.load(REFERENCE / "qubo_synth_10.npy")))
    transposed = np.load(REFERENCE / "qubo_waveform.npy")[::-1, ::-1]
    with pytest.raises(ValueError, match="belongs to another QUBO"):
        read_runs(path, QUBO.from_matrix(transposed))
