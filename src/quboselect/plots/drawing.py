"""What all displays share: colours, sizes in inches, names that fit, and an axis for alpha.

matplotlib is loaded by the first display that draws.
"""

import textwrap
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import optional
from ..report.words import count_text

BLUE, ORANGE, GREEN, RED, GREY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#999999"
# The blue of what is not proven, and the grey of what was chosen.
PALE, SHADE = "#A6CDE5", "0.88"

# Inches; the width of a page.
WIDTH = 7.5
# More names than this do not fit side by side, and indices stand in their place.
MOST_NAMES = 40
LONGEST_NAME = 20
# Inches for a line of small text.
LINE = 0.17
# Points; smaller letters cannot be read.
SMALLEST = 5.0

# What an axis of alpha is called.
ALPHA, STRETCHED = "alpha, the weight of importance", "(stretched near 0 and 1)"
# An axis of alpha does not reach 0 and 1, which lie infinitely far away on it.
LEAST, MOST = 1e-4, 1.0 - 1e-6
# Round numbers first, then what fits between them.
ALPHAS = (0.5, 0.9, 0.99, 0.1, 0.999, 0.01, 0.9999, 0.001, 0.8, 0.2, 0.95, 0.98, 0.05, 0.02, 0.7, 0.3)
FINER_ALPHAS = (0.6, 0.4, 0.97, 0.96, 0.85, 0.995, 0.998, 0.9995, 0.9998, 0.005, 0.002, 0.15)


class Window(NamedTuple):
    """Where a subset was chosen: an interval of alpha, or one alpha twice; how many features; False if off the path.

    A subset that was held to its size at one alpha is not off the path: it was chosen at that alpha.
    """

    start: float
    stop: float
    size: int
    on_path: bool = True


def pyplot(user: str) -> Any:
    """Return matplotlib.pyplot, or say who needs it and how to install it."""
    optional("matplotlib", "plot", user)
    return optional("matplotlib.pyplot", "plot", user)


def plain_axes(axis: Any) -> None:
    """Take away what is no data: the upper and the right edge, and all lines but faint ones at the ticks of y."""
    axis.spines[["top", "right"]].set_visible(False)
    axis.grid(axis="y", color="0.93")
    axis.set_axisbelow(True)


def short_name(name: str) -> str:
    """Return a name that fits under a bar; the middle is left out, since names often differ in their ends.

    Examples
    --------
    >>> short_name("mean concavity of the nucleus, worst")
    'mean conca…us, worst'
    """
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[1 - half :]}"


def label_texts(names: Iterable[str] | None, n: int) -> list[str]:
    r"""Return what n features are called in a picture: their names, shortened and as plain text, or their indices.

    Examples
    --------
    >>> label_texts(["price ($)", "a\nb"], 2), label_texts(None, 2)
    (['price (\\$)', 'a b'], ['0', '1'])
    """
    if names is None:
        return [str(i) for i in range(n)]
    given = [str(name) for name in names]
    if len(given) != n:
        raise ValueError(f"names must be {n} names, one for each feature, got {len(given)}.")
    # A pair of dollars would be read as mathematics.
    return [drawable_text(short_name(" ".join(name.split()))).replace("$", r"\$") for name in given]


def drawable_text(name: str) -> str:
    """Return a name with a mark in place of what the letters of the picture lack, which would be a warning.

    Examples
    --------
    >>> drawable_text("age"), drawable_text("\N{PARROT}") == "\N{REPLACEMENT CHARACTER}"
    ('age', True)
    """
    if name.isascii() and name.isprintable():
        return name
    try:
        known = known_characters()
    except ImportError:
        # The display that draws says what is missing.
        return name
    mark = "\N{REPLACEMENT CHARACTER}" if 0xFFFD in known else "?"
    return "".join(letter if ord(letter) in known else mark for letter in name)


def known_characters() -> frozenset[int]:
    """Return the characters that the fonts of a picture have, plain and bold, as names are either."""
    from matplotlib.font_manager import FontProperties, findfont, get_font

    families = FontProperties().get_family()
    plain, bold = (
        {
            point
            for family in families
            for point in get_font(findfont(FontProperties(family=family, weight=weight))).get_charmap()
        }
        for weight in ("normal", "bold")
    )
    return frozenset(plain & bold)


def axes_inches(axis: Any) -> tuple[float, float]:
    """Return the width and the height of axes in inches, as far as they are known before all is drawn."""
    extent = axis.get_window_extent()
    return extent.width / axis.figure.dpi, extent.height / axis.figure.dpi


def name_size(n: int, inches: float) -> float | None:
    """Return the size of letters, in points, in which n names fit side by side; None if none that can be read does.

    Examples
    --------
    >>> name_size(10, 4.0), name_size(100, 4.0)
    (8.0, None)
    """
    points = 72.0 * inches / max(n, 1) * 0.85
    return None if points < SMALLEST else min(points, 8.0)


def wrapped_label(axis: Any, words: str) -> str:
    """Return the label of x in lines that are not wider than the axes, once all else is drawn."""
    # Names of features take their room only when a figure is laid out.
    axis.figure.draw_without_rendering()
    # A letter takes about a twelfth of an inch.
    return "\n".join(textwrap.wrap(words, max(int(12 * axes_inches(axis)[0]), 12)))


def set_title(axis: Any, label: str | None, default: str, pad: float | None = None) -> None:
    """Set the title of axes, some points above them: a default where none was given, none where it is empty."""
    words = default if label is None else label
    if not words:
        return
    # Only a figure that was laid out knows how wide its axes are; a letter takes about a tenth of an inch.
    axis.figure.draw_without_rendering()
    lines = textwrap.wrap(words, max(int(10 * axes_inches(axis)[0]), 12)) if label is None else [words]
    axis.set_title("\n".join(lines), loc="left", fontsize=11, pad=pad)


def axis_label(word: str, unit: str | None) -> str:
    """Return the label of an axis, with its unit where there is one."""
    return f"{word} ({unit})" if unit else word


def one_axis(ax: Any, user: str, size: tuple[float, float]) -> Any:
    """Return the axes to draw into, by default those of a new figure."""
    plt = pyplot(user)
    return plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax


def logit(alpha: npt.ArrayLike) -> Any:
    """Return the logarithm of alpha / (1 - alpha), finite at 0 and 1 too.

    Examples
    --------
    >>> logit([0.5, 0.9]).round(3).tolist()
    [0.0, 2.197]
    """
    inside = np.clip(np.asarray(alpha, np.float64), 1e-9, 1.0 - 1e-9)
    return np.log(inside / (1.0 - inside))


def expit(odds: npt.ArrayLike) -> Any:
    """Return the alpha of a logit."""
    return 1.0 / (1.0 + np.exp(-np.asarray(odds, np.float64)))


def alpha_axis(axis: Any, cuts: Sequence[float]) -> None:
    """Make x an axis of alpha that shows all of some breakpoints, stretched towards 0 and 1 where most of them are."""
    axis.set_xlabel(ALPHA)
    inner = [cut for cut in cuts if LEAST < cut < MOST]
    if not inner:
        axis.set_xlim(0.0, 1.0)
        return
    axis.set_xlabel(f"{ALPHA} {STRETCHED}")
    axis.set_xscale("function", functions=(logit, expit))
    low, high = float(logit(min(inner))), float(logit(max(inner)))
    margin = max(0.06 * (high - low), 0.4)
    low, high = low - margin, high + margin
    ticks = alpha_ticks(low, high, axes_inches(axis)[0])
    axis.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axis.minorticks_off()
    axis.set_xlim(expit(low), expit(high))


def alpha_ticks(low: float, high: float, inches: float) -> list[float]:
    """Return round alphas between two logits that leave room for their labels on an axis of this width.

    Examples
    --------
    >>> alpha_ticks(-1.0, 5.0, 6.0)
    [0.3, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99]
    """
    apart = (high - low) * min(max(0.6 / max(inches, 0.1), 0.08), 0.5)
    finer = np.round(np.linspace(expit(low), expit(high), 9)[1:-1], 3).tolist() if high - low < 1.5 else []
    ticks: list[float] = []
    for tick in (*ALPHAS, *FINER_ALPHAS, *finer):
        place = float(logit(tick))
        if low < place < high and all(abs(place - logit(other)) >= apart for other in ticks):
            ticks.append(tick)
    return sorted(ticks)


def mark_point(axis: Any, alpha: float, value: float) -> Any:
    """Mark what was chosen apart from the line, at its alpha, or at the end of the axis where that lies beyond."""
    low, high = axis.get_xlim()
    style = {"color": RED, "markersize": 5.5, "zorder": 4, "clip_on": False}
    return axis.plot(min(max(alpha, low), high), value, "D", **style)[0]


def mark_window(axis: Any, window: Window | None) -> Any:
    """Shade the alphas of what was chosen, and return what a legend shows of it; None where nothing was."""
    if window is None:
        return None
    from matplotlib.patches import Patch

    word = f"{count_text(window.size)}, selected"
    if window.start == window.stop:
        # An axis of alpha ends before 0 and 1: what was chosen there is marked at its end.
        low, high = axis.get_xlim()
        place = min(max(window.start, low), high)
        where = f"at alpha {window.start:.4g}" if window.on_path else "off the path"
        line = {"color": "0.6", "linewidth": 1.2, "zorder": 0.5, "clip_on": low < place < high}
        return axis.axvline(place, label=f"{word} {where}", **line)
    axis.axvspan(window.start, window.stop, color=SHADE, linewidth=0, zorder=0.5)
    # With an edge, as a legend may lie on the very shade that it explains.
    return Patch(facecolor=SHADE, edgecolor="0.55", linewidth=0.7, label=word)
