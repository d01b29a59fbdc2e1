"""Optimisers: they go down, count what they spend, and repeat themselves."""

import numpy as np
import pytest

from quboselect.quantum.circuits import COBYLA, SPSA


class Bowl:
    """A noisy objective that remembers how often it was asked."""

    def __init__(self, noise=0.0):
        self.noise, self.rng, self.jobs = noise, np.random.default_rng(0), []

    def __call__(self, points):
        self.jobs.append(len(points))
        values = [((p - 1.0) ** 2).sum() + self.noise * self.rng.normal() for p in points]
        return np.array(values)


@pytest.mark.parametrize("optimiser", [SPSA(iterations=300), COBYLA(first_step=0.5)])
@pytest.mark.parametrize("noise", [0.0, 0.01])
def test_the_bottom_of_a_bowl_is_found(optimiser, noise):
    found = optimiser(Bowl(noise), np.zeros(4), np.random.default_rng(0))
    np.testing.assert_allclose(found.parameters, 1.0, atol=0.2)


@pytest.mark.parametrize(
    "optimiser", [SPSA(iterations=32), SPSA(iterations=5, calibration=0), COBYLA(iterations=20)]
)
def test_every_evaluation_is_counted_calibration_included(optimiser):
    bowl = Bowl()
    found = optimiser(bowl, np.zeros(3), np.random.default_rng(0))
    assert found.evaluations == sum(bowl.jobs)


def test_the_papers_budget_is_a_hundred_and_fourteen_evaluations_in_thirty_three_jobs():
    bowl = Bowl()
    found = SPSA()(bowl, np.zeros(3), np.random.default_rng(0))
    assert found.evaluations == 114
    assert bowl.jobs == [50] + [2] * 32
    assert found.history.size == 64


@pytest.mark.parametrize("length", [0.1, 0.6])
def test_the_first_step_is_as_long_as_it_was_asked_to_be(length):
    # On a plane with one slope, every direction has the slope of calibration.
    found = SPSA(iterations=1, first_step=length)(
        lambda points: np.array([5.0 * p[0] for p in points]), np.zeros(1), np.random.default_rng(0)
    )
    assert found.parameters[0] == pytest.approx(-length)


def test_steps_and_perturbations_shrink_as_spall_says():
    asked = []

    def plane(points):
        asked.append(points)
        return np.array([p[0] for p in points])

    SPSA(iterations=3, first_step=1.0, perturbation=0.2, calibration=0)(
        plane, np.zeros(1), np.random.default_rng(0)
    )
    middles = [0.5 * (a + b)[0] for a, b in asked]
    widths = [0.5 * abs(a - b)[0] for a, b in asked]
    np.testing.assert_allclose(middles, [0.0, -1.0, -1.0 - 2**-0.602])
    np.testing.assert_allclose(widths, [0.2, 0.2 / 2**0.101, 0.2 / 3**0.101])


def test_a_flat_objective_is_left_where_it_was():
    found = SPSA(iterations=3)(lambda points: np.zeros(len(points)), np.ones(2), np.random.default_rng(0))
    np.testing.assert_array_equal(found.parameters, 1.0)


@pytest.mark.parametrize("unit", [2.0**-60, 2.0**60])
def test_the_unit_of_the_objective_does_not_matter(unit):
    one, other = (
        SPSA(iterations=5)(lambda points, u=u: u * Bowl()(points), np.zeros(3), np.random.default_rng(0))
        for u in (1.0, unit)
    )
    np.testing.assert_array_equal(one.parameters, other.parameters)
    assert (one.parameters != 0.0).all()


def test_rounding_is_no_slope():
    def flat(points):
        # Like a mean over shots of one energy, which is off by a last bit now and then.
        return np.array([3.0 + 4e-16 * (point[0] > 0.0) for point in points])

    found = SPSA(iterations=3)(flat, np.zeros(2), np.random.default_rng(0))
    np.testing.assert_allclose(found.parameters, 0.0, atol=1e-12)


@pytest.mark.parametrize("optimiser", [SPSA(iterations=10), COBYLA(iterations=20)])
def test_the_same_generator_gives_the_same_point_and_the_start_is_not_changed(optimiser):
    start = np.zeros(3)
    one, two = (optimiser(Bowl(), start, np.random.default_rng(7)).parameters for _ in range(2))
    np.testing.assert_array_equal(one, two)
    assert not start.any()


def test_cobyla_returns_the_best_point_it_saw():
    found = COBYLA(iterations=10)(Bowl(), np.zeros(3), np.random.default_rng(0))
    assert Bowl()([found.parameters])[0] == found.history.min()


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SPSA(iterations=-1), "iterations must be an integer of at least 0, got -1."),
        (lambda: SPSA(calibration=1.5), "calibration must be an integer of at least 0, got 1.5."),
        (lambda: SPSA(perturbation=0.0), "perturbation must be a positive number, got 0.0."),
        (lambda: SPSA(first_step=np.inf), "first_step must be a positive number, got inf."),
        (lambda: SPSA(first_step=None), "first_step must be a positive number, got None."),
        (lambda: SPSA(perturbation="a"), "perturbation must be a positive number, got 'a'."),
        (lambda: COBYLA(first_step=True), "first_step must be a positive number, got True."),
        (lambda: COBYLA(iterations=0), "iterations must be an integer of at least 1, got 0."),
        (lambda: COBYLA(tolerance=-1.0), "tolerance must be a positive number, got -1.0."),
    ],
)
def test_a_wrong_field_is_refused_in_words(make, words):
    with pytest.raises(ValueError, match=words):
        make()
