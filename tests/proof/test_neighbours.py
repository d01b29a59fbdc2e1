"""Claims about what is apart from others, and about lists: neighbours are all looked at, and lies are refuted."""

import dataclasses
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

import forgery_oracles as oracles
from quboselect import QUBO, Solutions
from quboselect.errors import Refuted
from quboselect.proof import neighbours, verify
from quboselect.proof.certificate import Apart, Certificate, Dual, Further, Node, Step, Trace
from quboselect.proof.cuts import Cuts
from quboselect.proof.verify import Rest, _charged

PLAIN = QUBO([-3.0, -2.5, -2.0, -1.0], np.zeros((4, 4)))
FIRST = Apart(np.array([[True, False, False, False]]), 1)


def ones(n, *places):
    return np.isin(np.arange(n), places)


def claim(qubo, x, tree, k=1):
    energy = float(qubo.energy(x))
    return Solutions(x[None], [energy], [1], energy, {"certificate": Certificate(energy, k, tree)})


def end(n, away):
    dual = Dual(0.0, np.zeros(n), 0.0, np.zeros((n, n)), Cuts.none(), 0.0, np.zeros(n), np.zeros(n), away)
    return Node(end="bound", dual=dual)


def refuted(words, solutions, qubo=PLAIN, k=1, apart=FIRST):
    with pytest.raises(Refuted, match=words):
        verify(qubo, solutions, k=k, apart=apart)


def naive_near(row, exchanges):
    """Return the ones of everything that is up to so many exchanges away, from all subsets."""
    k = int(row.sum())
    every = combinations(range(row.size), k)
    return {some for some in every if k - row[list(some)].sum() <= exchanges}


@pytest.mark.parametrize("exchanges", range(5))
@pytest.mark.parametrize("places", [(), (2,), (0, 3), (1, 2, 4), (0, 1, 2, 3, 4, 5)])
def test_near_is_all_that_is_near_and_once(places, exchanges, monkeypatch):
    monkeypatch.setattr(neighbours, "AT_ONCE", 4)
    row = ones(6, *places)
    blocks = list(neighbours._near(row, exchanges))
    found = [tuple(sorted(some)) for block in blocks for some in block.tolist()]
    assert len(found) == len(set(found))
    assert set(found) == naive_near(row, exchanges)
    assert max(map(len, blocks)) <= 4


@pytest.mark.parametrize("seed", range(20))
def test_a_neighbour_below_the_target_is_found_unless_it_is_near_to_others(seed):
    rng = np.random.default_rng(seed)
    n, k, different = 8, 3, int(rng.integers(1, 4))
    qubo = oracles.small_problem(seed, n)
    rows = np.array([ones(n, *rng.permutation(n)[:k]) for _ in range(3)])
    apart = Apart(rows[:1], different)
    energies = [
        float(qubo.energy(ones(n, *some)))
        for row in rows[1:]
        for some in naive_near(row, different - 1)
        if not apart.near(ones(n, *some))
    ]
    linear, couplings = np.array(qubo.linear), np.array(qubo.couplings)
    hair = 1e-12 * (np.abs(linear).sum() + np.abs(couplings).sum())
    lowest = min(energies, default=0.0)
    found = neighbours.apart_further(linear, couplings, rows[1:], apart, k, lowest - hair)
    assert np.array_equal(found.rows, rows)
    assert found.different == different
    if energies:
        with pytest.raises(Refuted, match="neighbour"):
            neighbours.apart_further(linear, couplings, rows[1:], apart, k, lowest + hair)


def test_a_list_is_proven_by_its_neighbours_and_one_tree():
    tree = Further(np.array([ones(4, 1)]), Node(end="enumerate"))
    verify(PLAIN, claim(PLAIN, ones(4, 1), tree), k=1, apart=FIRST)
    refuted("neighbour", claim(PLAIN, ones(4, 2), tree))


def test_a_list_does_not_hide_what_is_near_to_its_rows():
    # Beside the selection {0, 1} the best is {2, 3}; {1, 2} and {1, 3} are near to it.
    qubo, first = QUBO([-9.0, -8.0, -3.0, -2.0, -1.0], np.zeros((5, 5))), Apart(ones(5, 0, 1)[None], 2)
    honest = Further(np.array([ones(5, 2, 3)]), Node(end="enumerate"))
    verify(qubo, claim(qubo, ones(5, 2, 3), honest, 2), k=2, apart=first)
    # {2, 4} is no alternative while {2, 3} is.
    lie = Further(np.array([ones(5, 2, 4)]), Node(end="enumerate"))
    refuted("neighbour", claim(qubo, ones(5, 2, 4), lie, 2), qubo, 2, first)
    # With one feature of its own {0, 2} comes next; rows far off leave it to the tree, which holds it.
    one = first._replace(different=1)
    lie = Further(np.array([ones(5, 3, 4)]), Node(end="enumerate"))
    refuted("better", claim(qubo, ones(5, 2, 3), lie, 2), qubo, 2, one)


def test_rows_near_to_what_a_claim_is_apart_from_prove_nothing():
    tree = Further(FIRST.rows, Node(end="enumerate"))
    verify(PLAIN, claim(PLAIN, ones(4, 1), tree), k=1, apart=FIRST)
    refuted("better", claim(PLAIN, ones(4, 2), tree))


def test_no_row_is_nothing_to_look_at():
    none = np.zeros((0, 4), bool)
    verify(PLAIN, claim(PLAIN, ones(4, 1), Further(none, Node(end="enumerate"))), k=1, apart=FIRST)
    verify(PLAIN, claim(PLAIN, ones(4, 0), Node(end="enumerate")), k=1, apart=Apart(none, 1))
    verify(
        PLAIN, claim(PLAIN, ones(4, 0), Further(FIRST.rows, Node(end="enumerate"))), k=1, apart=Apart(none, 1)
    )


@pytest.mark.parametrize(
    ("rows", "words"),
    [
        (None, "bits of shape"),
        (np.zeros(4, bool), "bits of shape"),
        (np.zeros((1, 5), bool), r"bits of shape \(1, 4\)"),
        (np.eye(4), "bits of shape"),
        (np.eye(4, dtype=int), "bits of shape"),
        (np.eye(4, dtype=object), "bits of shape"),
        (np.ones((1, 4), bool), "1 ones each"),
        (np.zeros((2, 4), bool), "1 ones each"),
        # A row that is repeated by its strides takes no room here, and all of the machine's once it is copied.
        (np.broadcast_to(ones(4, 1), (10**12, 4)), "too many"),
    ],
    ids=lambda value: "" if isinstance(value, str) else str(getattr(value, "shape", value)),
)
def test_rows_of_a_list_have_a_form(rows, words):
    refuted(words, claim(PLAIN, ones(4, 1), Further(rows, Node(end="enumerate"))))


def test_the_check_of_neighbours_ends():
    n, k = 400, 20
    qubo = QUBO(-np.ones(n), np.zeros((n, n)))
    apart = Apart(ones(n, *range(k))[None], k)
    # All that is within 19 exchanges would take for ever.
    tree = Further(ones(n, *range(k, 2 * k))[None], Node(end="enumerate"))
    refuted("too many", claim(qubo, ones(n, *range(k, 2 * k)), tree, k), qubo, k, apart)
    rows = np.array([ones(n, *range(a, a + k)) for a in range(k, 380)])
    refuted(
        "too many",
        claim(qubo, rows[0], Further(rows, Node(end="enumerate")), k),
        qubo,
        k,
        apart._replace(different=2),
    )


def test_a_list_is_about_something_to_be_apart_from():
    x, tree = ones(4, 0), Further(FIRST.rows, Node(end="enumerate"))
    refuted("nothing to be apart from", claim(PLAIN, x, tree), apart=None)
    refuted("nothing to be apart from", claim(PLAIN, x, tree, None), k=None, apart=None)
    # A certificate of every size says nothing of rows of one size.
    refuted("nothing to be apart from", claim(PLAIN, ones(4, 1), tree, None))


@pytest.mark.parametrize(
    "tree",
    [
        Further(np.array([ones(4, 1)]), Node(end="enumerate")),
        Trace(np.array([-1], np.int32), np.arange(4)),
        None,
    ],
)
def test_within_a_list_there_is_a_tree_of_relaxations(tree):
    refuted("a node must be a Node", claim(PLAIN, ones(4, 1), Further(np.array([ones(4, 1)]), tree)))


def test_signs_settle_nothing_of_what_is_apart():
    # Bit 1 is a one in the best of every size. That is near to the other, and with it all that is better than the lie.
    apart, lie = Apart(ones(4, 1)[None], 1), ones(4, 3)
    step = Step(np.array([1]), np.array([1], np.int8))
    for size in (None, 1):
        refuted(None, claim(PLAIN, lie, Node(steps=[step], end="near"), size), apart=apart)
        refuted(None, claim(PLAIN, lie, Node(end="near"), size), apart=apart)
    # What is best of every size is best of those that are apart too.
    qubo = QUBO([-3.0, 1.0, 2.0, 3.0], np.zeros((4, 4)))
    signs = Node(steps=[Step(np.arange(4), np.array([1, 0, 0, 0], np.int8))], end="enumerate")
    verify(qubo, claim(qubo, ones(4, 0), signs, None), k=1, apart=apart)


@pytest.mark.parametrize(
    ("away", "words"),
    [
        (np.array([-1.0]), "limits must be finite numbers from 0"),
        (np.array([np.nan]), "limits must be finite"),
        (np.array([np.inf]), "limits must be finite"),
        (np.zeros(0), r"limits must be numbers of shape \(1,\)"),
        (np.zeros(2), r"limits must be numbers of shape \(1,\)"),
        (np.zeros((1, 1)), r"limits must be numbers of shape \(1,\)"),
        (0.0, "limits must be numbers"),
        (np.array([True]), "limits must be numbers"),
        (None, "limits must be numbers"),
    ],
    ids=str,
)
def test_multipliers_of_limits_have_a_form(away, words):
    n = 12
    qubo = QUBO(np.ones(n), np.zeros((n, n)))
    apart, x = Apart(ones(n, 0)[None], 1), ones(n, 1)
    refuted(words, claim(qubo, x, end(n, away)), qubo, 1, apart)
    step = Step(np.array([2]), np.array([0], np.int8), end(n, away).dual, np.zeros((1, n)))
    refuted(words, claim(qubo, x, Node(steps=[step], end="open")), qubo, 1, apart)
    branch = Node(end="branch", bit=0, dual=end(n, away).dual, children=[Node(), Node()])
    refuted(words, claim(qubo, x, branch), qubo, 1, apart)


def test_without_others_there_are_no_limits():
    n = 12
    qubo = QUBO(np.ones(n), np.zeros((n, n)))
    refuted("pass apart= to check it", claim(qubo, ones(n, 1), end(n, np.ones(1))), qubo, 1, None)


@pytest.mark.parametrize(
    ("apart", "error"),
    [
        (Apart(np.eye(4, dtype=int)[:1], 1), ValueError),
        (Apart(np.eye(4)[:1], 1), ValueError),
        (Apart(np.eye(4, dtype=bool)[0], 1), ValueError),
        (Apart([[True, False, False, False]], 1), ValueError),
        (Apart(np.eye(5, dtype=bool)[:1], 1), ValueError),
        (Apart(np.ones((1, 4), bool), 1), ValueError),
        (Apart(FIRST.rows, 0), ValueError),
        (Apart(FIRST.rows, 2), ValueError),
        (Apart(FIRST.rows, 10**30), ValueError),
        (Apart(FIRST.rows, 0.5), (TypeError, ValueError)),
        ((FIRST.rows, 1), TypeError),
    ],
    ids=str,
)
def test_what_a_claim_is_apart_from_has_a_form(apart, error):
    # As places of multipliers, whole numbers would mean other ones than bits do.
    with pytest.raises(error, match=r"apart|different"):
        verify(PLAIN, claim(PLAIN, ones(4, 1), Node(end="enumerate")), k=1, apart=apart)


def test_a_proof_with_limits_is_about_these_rows_alone(monkeypatch):
    oracles.small_trees(monkeypatch.setattr)
    told = 0
    for kind in ("apart", "list"):
        for seed in range(30):
            qubo, solutions, k, apart = oracles.certified(kind, seed)
            if not solutions.proven:
                continue
            # Whatever the others are now, a claim that is false of them is refuted.
            for rows in (apart.rows[1:], np.roll(apart.rows, 1, axis=1)):
                other = Apart(rows, apart.different)
                if other.near(solutions.best) or oracles.exact_excess(qubo, solutions.best, k, other) <= 1.1:
                    continue
                told += 1
                refuted(None, solutions, qubo, k, other)
            if apart.different > 1:
                less = apart._replace(different=1)
                if oracles.exact_excess(qubo, solutions.best, k, less) > 1.1:
                    told += 1
                    refuted(None, solutions, qubo, k, less)
    assert told > 30


def test_a_list_that_skips_a_better_one_is_refuted(monkeypatch):
    oracles.small_trees(monkeypatch.setattr)
    told = 0
    for seed in range(40):
        qubo, solutions, k, apart = oracles.certified("list", seed)
        further = solutions.info["certificate"].tree
        for row in further.rows[1:]:
            if oracles.exact_excess(qubo, row, k, apart) <= 1.1:
                continue
            # One that comes later in the list, said to be next.
            for rows in (further.rows, further.rows[1:], row[None]):
                tree = dataclasses.replace(further, rows=rows)
                told += 1
                refuted(None, claim(qubo, row, tree, k), qubo, k, apart)
    assert told > 30


@pytest.mark.parametrize("seed", range(200))
def test_what_limits_are_charged_is_rounded_against_the_claim(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 4))
    linear = rng.normal(size=n) * 10.0 ** rng.integers(-9, 9, n)
    away = rng.random(m) * 10.0 ** rng.integers(-12, 18, m) * (rng.random(m) < 0.8)
    rows, limits = rng.random((m, n)) < 0.6, rng.integers(-2, 4, m)
    rest = Rest(np.arange(n), linear, np.zeros((n, n)), 0.0, 1, np.zeros(n), rows, limits)
    goal = float(rng.normal() * 10.0 ** rng.integers(-9, 9))
    dual = dataclasses.replace(end(n, away).dual, away=away)
    charged, raised = _charged(rest, goal, dual)
    exact = [Fraction(a) for a in away.tolist()]
    for i in range(n):
        own = Fraction(linear[i]) + sum(a for a, row in zip(exact, rows, strict=True) if row[i])
        assert (
            Fraction(charged.linear[i]) <= own <= Fraction(charged.linear[i]) + 2 * Fraction(charged.doubt[i])
        )
    fee = sum(a * int(most) for a, most in zip(exact, limits, strict=True))
    assert Fraction(raised) >= Fraction(goal) + fee
