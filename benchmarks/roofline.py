"""What would the machine allow? Rates of this processor and its memory flow into rows for benchmarks/counting.py.

A pair of codes is counted 512 samples at a time by three instructions where registers are that wide: `vpandq`,
`vpopcntq`, `vpaddq`. The limit is two of them in every cycle; the loop alone, on planes that stay in the first cache,
shows what is lost within it, and what the whole table takes beyond that is lost to memory.
"""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from joblib import cpu_count
from llvmlite import binding
from numba import njit

from quboselect._kernels import counting
from quboselect.counting import entropies as counts
from quboselect.counting.bins import Codes

CORES = cpu_count()
FEATURES = binding.get_host_cpu_features()
WIDTH = 512 if FEATURES.get("avx512vpopcntdq", False) else 64  # samples that one instruction takes
INSTRUCTIONS = 3  # and, population count, add
PORTS = 2  # of current processors take such instructions, one of them population counts
WORDS = 128  # of a plane in the first cache: eight planes are 8 KiB


@njit(nogil=True)
def chain(steps):
    """Six instructions a step, each waiting for the one before: as many cycles on any current processor."""
    x = np.uint64(88172645463325252)
    for _ in range(steps):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
    return x


@njit(nogil=True)
def common(a, b, repeats, out):
    """The loop of the kernel on four planes by four, all in the first cache."""
    for _ in range(repeats):
        counting.common_ones(a, b, a.shape[1], out)


@njit(nogil=True)
def total(words):
    result = np.uint64(0)
    for w in range(words.size):
        result += words[w]
    return result


def on_all_cores(task: Callable[[int], Any], repeats: int = 3) -> float:
    """Return the shortest time in which every core does the task once, in seconds."""
    task(0)
    times = []
    with ThreadPoolExecutor(CORES) as pool:
        for _ in range(repeats):
            start = time.perf_counter()
            list(pool.map(task, range(CORES)))
            times.append(time.perf_counter() - start)
    return min(times)


def rates() -> dict[str, float]:
    """Return cycles, words counted in the loop, and bytes read from memory; a second, of all cores together."""
    steps, repeats = 20_000_000, 40_000
    cycles = 6 * steps * CORES / on_all_cores(lambda _: chain(steps))
    rng = np.random.default_rng(0)
    planes = rng.integers(0, 2**63, (CORES, 8, WORDS), dtype=np.uint64)
    counted = np.zeros((CORES, 7, 7), np.uint32)
    seconds = on_all_cores(lambda core: common(planes[core, :4], planes[core, 4:], repeats, counted[core]))
    pairs = 16 * WORDS * repeats * CORES / seconds
    words = np.ones((CORES, 2**24), np.uint64)
    memory = words.nbytes / on_all_cores(lambda core: total(words[core]))
    return {"cycles": cycles, "pairs": pairs, "memory": memory}


def rows(codes: Codes) -> Iterator[dict[str, Any]]:
    """Yield the rows of the limits, and of how near counting comes to them."""
    live = np.flatnonzero((codes.sizes > 1) & (codes.sizes <= counting.NARROW))
    planes = (codes.sizes[live] - 1).astype(np.float64)
    pairs = live.size * (live.size - 1) / 2
    plane_pairs = (planes.sum() ** 2 - (planes**2).sum()) / 2
    words = -(-codes.n_samples // 512) * 8
    per_sample = pairs * codes.n_samples

    def count() -> None:
        counts.entropies_by_planes(codes, live, False, -1)

    count()
    times = []
    for _ in range(5):
        start = time.perf_counter()
        count()
        times.append(time.perf_counter() - start)
    seconds, rate = min(times), rates()
    needed = plane_pairs / pairs * INSTRUCTIONS / WIDTH
    # A block meets every block behind it, and is read anew by whichever core counts the two.
    blocks = np.ceil(planes.sum() / counts.PLANES)
    traffic = blocks * (blocks + 1) / 2 * 2 * counts.PLANES * words * 8
    yield {
        "what": "pairs of features alone, by bit planes",
        "seconds": seconds,
        "note": f"{seconds / per_sample * 1e9:.4f} ns per pair and sample on {CORES} cores, "
        f"{seconds * CORES / per_sample * 1e9:.4f} ns of one core",
    }
    instructions = plane_pairs * words * 64 / WIDTH * INSTRUCTIONS
    limit = float(instructions / (PORTS * rate["cycles"]))
    yield {
        "what": f"its instructions of {WIDTH} bits, {PORTS} a cycle",
        "seconds": limit,
        "note": f"{plane_pairs / pairs:.1f} pairs of codes per pair of features, {needed:.3f} instructions per pair "
        f"and sample, {rate['cycles'] / CORES / 1e9:.2f} GHz; reached: {limit / seconds:.0%}",
    }
    cached = float(plane_pairs * words / rate["pairs"])
    yield {
        "what": "the same loop on planes that stay in the first cache",
        "seconds": cached,
        "note": f"{instructions / cached / rate['cycles']:.2f} instructions a cycle",
    }
    yield {
        "what": "the planes read from memory as often as blocks meet",
        "seconds": float(traffic / rate["memory"]),
        "note": f"{traffic / 1e9:.2f} GB at {rate['memory'] / 1e9:.0f} GB/s; all planes are "
        f"{planes.sum() * words * 8 / 1e6:.0f} MB",
    }
