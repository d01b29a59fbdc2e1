"""Is any proof false, and is any forgery believed? Thousands of small random problems against exact arithmetic.

First 20 000 problems: dense, sparse, with ties, with twins, with zero rows, with negative couplings, with bits that are
worth it only together, with huge costs, with terms about the tolerance, tiny and huge; a third of them at exactly k.
Each is solved by relaxations alone, with nothing left to enumeration and work that runs out at different points, by
branch and bound, or by the default solver. What is claimed is compared with the minimum in whole numbers, and the
certificate is checked by `proof.verify`.

Then 1000 certificates of every kind, each tampered with at random twenty times (`tests/forgery_oracles.py` says how):
under a true claim, where only `Refuted` may be raised, and under a false one, which must be refuted.
``python benchmarks/soundness.py 500 50`` does fewer of both.
"""

import argparse
import dataclasses
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np

from quboselect import QUBO, Solutions, Tradeoff
from quboselect.errors import Refuted
from quboselect.proof import Apart, verify
from quboselect.solvers import BranchAndBound, Portfolio

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
import forgery_oracles as oracles

FORGERIES = 20


def problem(seed: int) -> tuple[QUBO, int | None]:
    """Return a QUBO of up to 11 bits, and k or None."""
    rng = np.random.default_rng(seed)
    if seed % 5 == 0:
        qubo = oracles.tiny_terms(seed)
    elif seed % 5 == 1:
        qubo = oracles.small_problem(seed)
    else:
        qubo = tradeoff_problem(seed)
    return qubo, int(rng.integers(0, qubo.size + 1)) if seed % 3 == 0 else None


def tradeoff_problem(seed: int) -> QUBO:
    """Return the QUBO of a tradeoff, or a few of both signs."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 12))
    linear, pairs = rng.random(n), rng.random((n, n)) * rng.choice([0.1, 0.5, 2.0])
    kind = seed % 7
    if kind == 1:
        pairs *= rng.random((n, n)) < 0.3
    if kind == 2:
        linear, pairs = np.round(3 * linear), np.round(2 * pairs)
    if kind == 3:
        same = rng.integers(0, n, n)
        linear, pairs = linear[same], pairs[np.ix_(same, same)]
    if kind == 4:
        dead = rng.random(n) < 0.4
        linear[dead], pairs[dead], pairs[:, dead] = 0.0, 0.0, 0.0
    pairs = np.triu(pairs, 1) + np.triu(pairs, 1).T
    if kind == 5:
        pairs = np.triu(rng.normal(size=(n, n)), 1)
        qubo = QUBO(rng.normal(size=n), pairs + pairs.T)
    elif kind == 6:
        # Bits that are worth it only in the company of the first.
        pairs[0, 1:] = pairs[1:, 0] = -(linear * (1 + rng.random(n) * rng.choice([0.3, 1.0, 2.0])))[1:]
        linear[0] = -rng.uniform(0.2, 1.2) * (pairs[0] + linear)[1:].sum()
        qubo = QUBO(linear, pairs)
    else:
        qubo = Tradeoff(linear, pairs).at(float(rng.uniform(0.1, 0.98)))
    scale = float(rng.choice([1.0, 1.0, 1e-6, 1e4]))
    return QUBO(scale * qubo.linear, scale * qubo.couplings)


def answer(qubo: QUBO, k: int | None, seed: int) -> tuple[str, Solutions]:
    """Return who solved it, and the solutions."""
    if seed % 4 == 0:
        return "relaxation", oracles.proven("relaxation", qubo, k, [4e7, 2e8, 1e10][seed // 4 % 3])
    if seed % 4 == 1:
        return "branch and bound", BranchAndBound(k=k)(qubo)
    return "portfolio", Portfolio(k=k, n_jobs=1)(qubo)


def judged(qubo: QUBO, solutions: Solutions, k: int | None, apart: Apart | None = None) -> str:
    """Return what the check says: accepted, refuted, or which other error it raises."""
    try:
        verify(qubo, solutions, k=k, apart=apart)
    except Refuted:
        return "refuted"
    except Exception as error:
        return f"broken by {type(error).__name__}"
    return "accepted"


def check_problem(seed: int, counts: Counter) -> None:
    """Count what is claimed of one problem, and what of it is false."""
    qubo, k = problem(seed)
    who, solutions = answer(qubo, k, seed)
    excess = oracles.exact_excess(qubo, solutions.best, k)
    counts["claims"] += 1
    counts["proofs"] += solutions.proven
    counts["unproven but by relaxation"] += not solutions.proven and who != "relaxation"
    # In tolerances: the best is this far above the minimum, and the bound may be above it by one.
    bound = excess + (solutions.bound - solutions.energy[0]) / (oracles.granted(qubo, solutions.best) or 1.0)
    if bound > 1.0 or (solutions.proven and excess > 1.0):
        counts["false claims"] += 1
        print(f"seed {seed}: {who} claims {max(bound, excess):.3f} tolerances too much", flush=True)
    if (verdict := judged(qubo, solutions, k)) != "accepted":
        counts["own certificates refuted"] += 1
        print(f"seed {seed}: the certificate by {who} is {verdict}", flush=True)


def check_certificate(seed: int, counts: Counter) -> None:
    """Count what is said of a certificate, and of forgeries of it."""
    kind, rng = oracles.KINDS[seed % len(oracles.KINDS)], np.random.default_rng(seed)
    qubo, solutions, k, apart = oracles.certified(kind, seed)
    counts[f"certificates, {kind}"] += 1
    counts["own certificates refuted"] += judged(qubo, solutions, k, apart) != "accepted"
    lies = oracles.false_claims(kind, qubo, solutions, k, rng, apart)
    for at in range(FORGERIES):
        lie = bool(lies) and at % 4 > 0
        claim = lies[at % 2] if lie else solutions
        forged, told = oracles.tampered(claim.info["certificate"], rng, int(rng.integers(1, 4)))
        verdict = judged(qubo, dataclasses.replace(claim, info={"certificate": forged}), k, apart)
        counts[f"{'false' if lie else 'true'} claims with a forgery, {verdict}"] += 1
        if (lie and verdict == "accepted") or verdict.startswith("broken"):
            counts["accepted forgeries" if verdict == "accepted" else "other errors"] += 1
            print(f"seed {seed}, {kind}: {verdict}, {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("problems", type=int, nargs="?", default=20_000)
    parser.add_argument("certificates", type=int, nargs="?", default=1000)
    asked = parser.parse_args()
    problems, certificates = asked.problems, asked.certificates
    oracles.small_trees()
    names = ("false claims", "own certificates refuted", "accepted forgeries", "other errors")
    counts = Counter(dict.fromkeys(names, 0))
    start = time.perf_counter()
    for seed in range(problems):
        check_problem(seed, counts)
    for seed in range(certificates):
        check_certificate(seed, counts)
    for name, count in counts.items():
        print(f"{count:7d}  {name}")
    print(f"{problems} problems and {certificates} certificates in {time.perf_counter() - start:.0f} s")


if __name__ == "__main__":
    main()
