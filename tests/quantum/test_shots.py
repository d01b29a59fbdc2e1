"""Shots: rates, sorted energies and bits of several runs, against reads written out one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from authors import REFERENCE
from quboselect import QUBO, Solutions
from quboselect.quantum.recorded import read_runs
from quboselect.quantum.shots import (
    Band,
    HitRate,
    as_runs,
    bit_counts,
    hit_rate,
    indifferent,
    sorted_energies,
)
from quboselect.solvers import Exhaustive, Portfolio

needs_reference = pytest.mark.skipif(
    not REFERENCE.exists(), reason="the authors' files are not beside the checkout"
)
PAIR = QUBO([-1.0, -1.0], [[0.0, 3.0], [3.0, 0.0]])


def drawn(seed, runs, reads, bits=4):
    """Return a QUBO, and the reads of each run one by one."""
    rng = np.random.default_rng(seed)
    qubo = QUBO.from_matrix(rng.normal(size=(bits, bits)))
    return qubo, rng.integers(0, 2, (runs, reads, bits))


def of(qubo, rows):
    return [Solutions.of(qubo, run) for run in rows]


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 5), st.integers(1, 40))
def test_merged_samples_say_what_the_single_reads_say(seed, runs, reads):
    qubo, rows = drawn(seed, runs, reads)
    every = of(qubo, rows)
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
    assert (len(band), len(bits)) == (reads, qubo.size)


def test_one_samples_is_a_list_of_one():
    run = Solutions.of(PAIR, [[1, 0], [1, 1]], count=[3, 1])
    assert as_runs(run) == as_runs([run]) == as_runs(each for each in (run,)) == (run,)
    assert hit_rate(run, -1.0).shares.tolist() == [0.75]


def test_runs_of_different_lengths_weigh_the_same_in_a_rate_and_have_no_common_order():
    runs = [Solutions.of(PAIR, [[1, 0]]), Solutions.of(PAIR, [[1, 0], [1, 1]], count=[1, 3])]
    rate = hit_rate(runs, -1.0)
    assert (rate.mean, rate.hits, rate.reads) == (0.625, 2, 5)
    with pytest.raises(ValueError, match=r"equally many reads.*run 0 has 1, run 1 has 4"):
        sorted_energies(runs)


def test_rates_are_said_as_the_paper_says_them():
    assert str(HitRate([0.1, 0.3], 400, 2000)) == "20.00 ± 10.00 %"
    assert str(HitRate([0.0, 0.01], 9, 2000)) == "9 of 2000 reads"
    assert str(HitRate([0.0], 0, 1024)) == "0 of 1024 reads"
    assert repr(HitRate([1.0, 1.0], 2048, 2048)) == "HitRate(100.00 ± 0.00 %; runs: 2)"


def test_a_single_run_has_no_spread_to_show():
    assert str(HitRate([0.25], 256, 1024)) == "25.00 %"


def test_a_read_below_the_minimum_is_not_a_hit_but_an_error():
    run = Solutions.of(PAIR, [[1, 0]])
    with pytest.raises(ValueError, match=r"lowest energy there is, got -0\.5, but a read has -1"):
        hit_rate(run, -0.5)
    assert hit_rate(run, -1.0 + 1e-10).hits == 1
    assert hit_rate(run, -1.0 - 1e-10).hits == 1
    assert hit_rate(run, -1.0 - 1e-8).hits == 0
    assert hit_rate(run, -1.1, tolerance=0.2).hits == 1


def test_with_the_qubo_a_hit_is_one_whatever_the_unit_of_the_energies():
    small = QUBO(1e-10 * PAIR.linear, 1e-10 * PAIR.couplings)
    run = Solutions.of(small, [[1, 0], [0, 0]], count=[1, 3])
    minimum = float(Exhaustive()(small).energy[0])
    assert hit_rate(run, minimum, qubo=small).hits == 1
    # Without it, the tolerance is larger than any difference.
    assert hit_rate(run, minimum).hits == 4
    assert hit_rate(run, minimum, qubo=small, tolerance=1e-9).hits == 4


@pytest.mark.parametrize(
    ("runs", "error", "words"),
    [
        ([], ValueError, "at least one Solutions, got none"),
        (3, TypeError, "one or several, got int"),
        ([Solutions.of(PAIR, [[1, 0]]), "x"], TypeError, "run 1 is a str"),
        (
            [Solutions.of(PAIR, [[1, 0]]), Solutions([[True]], [0.0], [1])],
            ValueError,
            "run 0 has 2 bits, run 1 has 1",
        ),
    ],
)
def test_runs_that_are_none_are_refused_in_words(runs, error, words):
    for question in (sorted_energies, bit_counts, lambda each: hit_rate(each, -1.0)):
        with pytest.raises(error, match=words):
            question(runs)


def test_numbers_that_cannot_be_are_refused_in_words():
    run = Solutions.of(PAIR, [[1, 0]])
    for wrong in ({"minimum": np.nan}, {"minimum": -1.0, "tolerance": -1.0}):
        with pytest.raises(ValueError, match="minimum must be finite and tolerance at least zero"):
            hit_rate(run, **wrong)
    with pytest.raises(ValueError, match="shares must be at least one number from 0 to 1"):
        HitRate([1.5], 1, 1)
    with pytest.raises(ValueError, match="hits must be from 0 to the number of reads, got 3 of 2"):
        HitRate([1.0], 3, 2)
    with pytest.raises(ValueError, match="std must be 2 numbers of at least zero"):
        Band([1.0, 2.0], [1.0], 3)
    with pytest.raises(ValueError, match="std must be 1 numbers of at least zero"):
        Band([1.0], [-1.0], 3)


def test_nobody_writes_into_what_was_measured():
    band, rate = bit_counts(Solutions.of(PAIR, [[1, 0]])), HitRate([0.5], 1, 2)
    for array in (band.mean, band.std, rate.shares):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7.0


@pytest.mark.parametrize("seed", range(5))
def test_indifferent_bits_are_those_whose_turning_costs_nothing(seed):
    rng = np.random.default_rng(seed)
    qubo = QUBO.from_matrix(np.triu(rng.integers(-1, 2, (6, 6))).astype(float))
    x = rng.integers(0, 2, 6) > 0
    turned = [np.where(np.arange(6) == i, ~x, x) for i in range(6)]
    assert indifferent(qubo, x).tolist() == [qubo.energy(each) == qubo.energy(x) for each in turned]


@needs_reference
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
    runs = read_runs(REFERENCE / pattern.format(name), qubo)
    assert str(hit_rate(runs, proven.energy[0])) == said
    assert len(sorted_energies(runs)) == 1024
