"""Backends: shots of the ideal machine come as often as the amplitudes say."""

import numpy as np
import pytest

from circuit_oracles import naive_state
from quboselect.quantum.circuits import Statevector, TwoDesign
from quboselect.quantum.circuits.backends import check_size, measured_bits, memory


def test_shots_come_as_often_as_the_amplitudes_say():
    ansatz = TwoDesign.random(4, layers=2, seed=3)
    parameters = np.random.default_rng(0).uniform(-3, 3, ansatz.parameters)
    (bits,) = Statevector()(ansatz, 100_000, 0)([parameters])
    counts = np.bincount(bits @ (1 << np.arange(4)), minlength=16)
    expected = np.abs(naive_state(ansatz, parameters)) ** 2
    # Six standard deviations of a binomial.
    assert (np.abs(counts / 1e5 - expected) <= 6 * np.sqrt(expected / 1e5) + 1e-12).all()


@pytest.mark.parametrize("place", [0, 5, 7])
def test_a_certain_state_is_always_shown_with_qubit_0_first(place):
    re = np.zeros(8)
    re[place] = 1.0
    bits = measured_bits(re, np.zeros(8), 50, np.random.default_rng(0))
    assert (bits == [place & 1, place >> 1 & 1, place >> 2 & 1]).all()


def test_the_same_seed_gives_the_same_shots_and_every_run_others():
    ansatz = TwoDesign.random(5, layers=1, seed=0)
    points = [np.ones(10), np.ones(10)]
    one, two = Statevector()(ansatz, 64, 1)(points), Statevector()(ansatz, 64, 1)(points)
    np.testing.assert_array_equal(one, two)
    assert (one[0] != one[1]).any()


def test_too_many_bits_are_refused_with_the_memory_they_would_take():
    ansatz = TwoDesign.random(34, layers=0, seed=0)
    words = (
        r"at most 24 bits, got 34: 2\*\*34 amplitudes are 256 GiB\. Solve a QUBO of fewer features, or give"
    )
    with pytest.raises(ValueError, match=words):
        Statevector()(ansatz, 1, 0)


def test_noise_takes_the_square_of_the_memory():
    with pytest.raises(ValueError, match=r"4\*\*17 amplitudes are 256 GiB\. Do less\."):
        check_size(17, 14, "it", "Do less.", mixed=True)


def test_memory_is_said_in_words_at_any_size():
    assert [memory(2.0**n) for n in (1, 8, 60, 70)] == ["32 B", "4 KiB", "1.64e+04 PiB", "1.68e+07 PiB"]
