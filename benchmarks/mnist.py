"""Thirty of MNIST's 784 pixels, for all ten classes and for each digit against the rest: how long, and what is proven?

`alpha_path(k=30)` as `SelectQUBO.paper(k=30)` runs it: at the default effort, and where that leaves a gap, at a hundred
times the effort. Proven means optimal at every alpha of the window. Writes a table into README.md beside this file.
"""

import time

import numpy as np
import page
from paper_data import IMPORTANCE, REDUNDANCY, mnist

from quboselect import Tradeoff, alpha_path
from quboselect.search.choice import choice_of_size
from quboselect.solvers import Portfolio


def selected(tradeoff: Tradeoff, effort: float) -> tuple[float, str, str]:
    """Return (seconds, alphas, what was proven) of the thirty best features."""
    start = time.perf_counter()
    solver = Portfolio(effort=effort)
    path = alpha_path(tradeoff, solver, k=30)
    choice = choice_of_size(tradeoff, 30, path, solver)
    alpha, samples, on_path = choice.alpha, choice.solutions, choice.on_path
    seconds, segment = time.perf_counter() - start, path.of_size(30)
    window = f"{segment.start:.6f} to {segment.stop:.6f}" if segment else f"{alpha:.6f}"
    proof = "proven" if samples.proven else f"gap {samples.gap:.3%}"
    return seconds, window if on_path else f"{window}, off the path", proof


def main() -> None:
    X, y = mnist().X, mnist().y
    codes = IMPORTANCE.codes(X)
    pairs = REDUNDANCY(codes)
    lines = ["| label | alpha | default effort | effort 100 |", "|---|---|---|---|"]
    alpha_path(Tradeoff(IMPORTANCE(codes, y), pairs), k=2)
    for name, label in (("all ten digits", y), *((f"{d} or not", np.asarray(y) == d) for d in range(10))):
        tradeoff = Tradeoff(IMPORTANCE(codes, label), pairs)
        seconds, window, proof = selected(tradeoff, 1.0)
        line = f"| {name} | {window} | {proof}, {seconds:.1f} s |"
        if proof != "proven":
            seconds, _, proof = selected(tradeoff, 100.0)
            line += f" {proof}, {seconds:.0f} s"
        lines.append(f"{line} |")
        print(lines[-1], flush=True)
    text = "\n".join([*lines, "", f"Measured by `benchmarks/mnist.py`: {page.machine()}."])
    page.put("mnist", text)


if __name__ == "__main__":
    main()
