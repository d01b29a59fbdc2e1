"""Names beside points, each where it covers least, with a thin line to its point where it stands away from it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

SMALL = 7.5
# Points of 1/72 inch from the point to its name, near places first.
REACHES = (5.0, 11.0, 18.0, 27.0, 38.0, 52.0)
DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, 1), (1, -1), (-1, -1))
# What a name may not cover: another name, a point, the edge.
OVER_NAME, OVER_POINT, OUTSIDE, AWAY = 40.0, 3.0, 200.0, 0.12

Box = tuple[float, float, float, float]


def name_points(
    axis: Any,
    points: npt.NDArray[np.float64],
    named: Sequence[int] | npt.NDArray[np.intp],
    words: Sequence[str],
) -> list[Any]:
    """Return annotations of some of the points, placed one after the other where each covers least."""
    figure = axis.figure
    # Only a figure that was laid out knows how large its axes are.
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    scale = figure.dpi / 72.0
    places = axis.transData.transform(points)
    frame = axis.get_window_extent()
    edge = (frame.x0, frame.y0, frame.x1, frame.y1)
    taken: list[Box] = []
    texts = []
    for i, word in zip(named, words, strict=True):
        text = axis.annotate(
            word,
            points[i],
            (0, 0),
            textcoords="offset points",
            fontsize=SMALL,
            zorder=4,
            annotation_clip=False,
        )
        box = text.get_window_extent(renderer)
        offset, place = best_place(places[i], (box.width, box.height), places, taken, edge, scale)
        taken.append(place)
        text.remove()
        line = {"arrowstyle": "-", "color": "0.6", "linewidth": 0.6, "shrinkA": 0.0, "shrinkB": 3.0}
        away = np.hypot(*offset) > 1.2 * REACHES[0] * 2**0.5
        texts.append(
            axis.annotate(
                word,
                points[i],
                offset,
                textcoords="offset points",
                fontsize=SMALL,
                zorder=4,
                ha=("right", "center", "left")[int(np.sign(offset[0])) + 1],
                va=("top", "center", "bottom")[int(np.sign(offset[1])) + 1],
                arrowprops=line if away else None,
                annotation_clip=False,
            )
        )
    return texts


def clear_texts(texts: Sequence[Any], first: int) -> list[Any]:
    """Return the annotations from one on that cover no other, and take away those that do.

    Parameters
    ----------
    texts : sequence of matplotlib Annotation
    first : int
        Those before it stay, whatever they cover.
    """
    if not texts:
        return []
    from matplotlib.text import Text

    figure = texts[0].figure
    renderer = figure.canvas.get_renderer() if hasattr(figure.canvas, "get_renderer") else None
    taken: list[Box] = []
    kept: list[Any] = []
    for i, text in enumerate(texts):
        # Of the text alone, without the line that leads to it.
        text.update_positions(renderer)
        box = Text.get_window_extent(text, renderer)
        place = (box.x0, box.y0, box.x1, box.y1)
        if i >= first and any(overlap(place, other) for other in taken):
            text.remove()
            continue
        taken.append(place)
        if i >= first:
            kept.append(text)
    return kept


def best_place(
    point: npt.NDArray[np.float64],
    size: tuple[float, float],
    points: npt.NDArray[np.float64],
    taken: Sequence[Box],
    edge: Box,
    scale: float,
) -> tuple[tuple[float, float], Box]:
    """Return the offset of a name from its point, and the box it then fills, in the units of the screen."""
    least, best = np.inf, None
    for reach in REACHES:
        for right, up in DIRECTIONS:
            offset = (right * reach, up * reach)
            box = box_at(point + np.multiply(offset, scale), size, right, up)
            clear = (box[0] - 2 * scale, box[1] - scale, box[2] + 2 * scale, box[3] + scale)
            cost = AWAY * reach + sum(OVER_NAME for other in taken if overlap(clear, other))
            inside = (points >= clear[:2]) & (points <= clear[2:])
            cost += OVER_POINT * int(inside.all(axis=1).sum())
            outside = box[0] < edge[0] or box[1] < edge[1] or box[2] > edge[2] or box[3] > edge[3]
            cost += OUTSIDE * outside
            if cost < least:
                least, best = cost, (offset, box)
    assert best is not None
    return best


def box_at(place: npt.NDArray[np.float64], size: tuple[float, float], right: int, up: int) -> Box:
    """Return the box of a name that stands at the right, left, above or below a place.

    Examples
    --------
    >>> box_at(np.array([0.0, 0.0]), (10.0, 4.0), 1, 0)
    (0.0, -2.0, 10.0, 2.0)
    """
    x = float(place[0]) + size[0] * (right - 1) / 2.0
    y = float(place[1]) + size[1] * (up - 1) / 2.0
    return x, y, x + size[0], y + size[1]


def overlap(a: Box, b: Box) -> bool:
    """Return whether two boxes share more than an edge.

    Examples
    --------
    >>> overlap((0, 0, 2, 2), (1, 1, 3, 3)), overlap((0, 0, 2, 2), (2, 0, 3, 2))
    (True, False)
    """
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
