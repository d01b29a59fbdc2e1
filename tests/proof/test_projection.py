"""Nearest positive semidefinite matrices: exact where they are decomposed, to second order where they are followed."""

import numpy as np
import pytest

from quboselect.proof import projection
from quboselect.proof.eigen import SINGLE
from quboselect.proof.projection import BETWEEN, Projection, split


def symmetric(n, seed=0, shift=0.0):
    A = np.random.default_rng(seed).normal(size=(n, n))
    return A + A.T + shift * np.eye(n)


def nearest(A):
    values, Q = np.linalg.eigh(A)
    return (Q * np.maximum(values, 0.0)) @ Q.T


@pytest.fixture
def decompositions(monkeypatch):
    """How many rows were decomposed, one entry a time."""
    made, eigen = [], projection.eigen
    monkeypatch.setattr(projection, "eigen", lambda A: made.append(len(A)) or eigen(A))
    return made


@pytest.mark.parametrize("normal", [None, np.ones(9) / 3])
def test_small_matrices_are_projected_in_double_precision(normal):
    V = symmetric(9)
    X = Projection(normal)(V)
    on = np.eye(9) if normal is None else np.eye(9) - np.outer(normal, normal)
    np.testing.assert_allclose(X, nearest(on @ V @ on), atol=1e-12)


def test_the_split_is_into_orthogonal_semidefinite_parts():
    X, U = split(symmetric(9))
    np.testing.assert_allclose(X + U, symmetric(9))
    assert np.linalg.eigvalsh(X).min() > -1e-12
    assert np.linalg.eigvalsh(U).max() < 1e-12
    assert abs((X * U).sum()) < 1e-10


# Fewer positive eigenvalues than negative ones, more, none, and all.
@pytest.mark.parametrize("shift", [-8.0, 8.0, -100.0, 100.0])
def test_the_first_of_large_matrices_is_as_good_as_single_precision(shift):
    V = symmetric(SINGLE, shift=shift)
    X = Projection(None)(V)
    assert X.dtype == np.float64
    np.testing.assert_allclose(X, nearest(V), atol=2e-5 * (1 + abs(shift)))


@pytest.mark.parametrize("shift", [-8.0, 8.0])
@pytest.mark.parametrize("on_face", [False, True])
def test_a_matrix_that_has_changed_little_is_followed_to_second_order(shift, on_face, decompositions):
    n = SINGLE + 30
    V, E = symmetric(n, shift=shift), symmetric(n, 1) / np.sqrt(2 * n)
    normal = np.ones(n) / np.sqrt(n) if on_face else None
    on = np.eye(n) - np.outer(normal, normal) if on_face else np.eye(n)
    errors = []
    for step in (0.04, 0.02):
        follow = Projection(normal)
        follow(V)
        exact = nearest(on @ (V + step * E) @ on)
        errors.append(np.linalg.norm(follow(V + step * E) - exact))
        # What would be lost by standing still is far more.
        assert errors[-1] < 0.1 * np.linalg.norm(nearest(on @ V @ on) - exact)
    # Half the change, about a quarter of the error.
    assert errors[1] < 0.4 * errors[0]
    assert decompositions == [n, n]


def test_a_matrix_that_has_changed_much_is_decomposed_anew(decompositions):
    follow, n = Projection(None), SINGLE + 10
    follow(symmetric(n))
    np.testing.assert_allclose(follow(symmetric(n, 1)), nearest(symmetric(n, 1)), atol=1e-3)
    assert decompositions == [n, n]


@pytest.mark.parametrize("sign", [-1, 1])
def test_of_a_matrix_without_eigenvalues_of_one_sign_none_is_followed(sign, decompositions):
    n = SINGLE + 10
    follow, V = Projection(None), sign * symmetric(n) @ symmetric(n)
    follow(V)
    # Those that come to have the other sign are seen.
    changed = V - sign * 50 * np.eye(n)
    np.testing.assert_allclose(follow(changed), nearest(changed), atol=1e-2)
    assert decompositions == [n, n]


def test_no_more_are_followed_than_is_said(decompositions):
    follow, V = Projection(None), symmetric(SINGLE)
    for _ in range(2 * (BETWEEN + 1)):
        np.testing.assert_allclose(follow(V), nearest(V), atol=1e-3)
    assert decompositions == [SINGLE, SINGLE]


def test_a_matrix_of_zeros_is_its_own():
    follow = Projection(None)
    for _ in range(3):
        np.testing.assert_array_equal(follow(np.zeros((SINGLE, SINGLE))), np.zeros((SINGLE, SINGLE)))
