"""The bar: what it says, and when it says nothing."""

import io
import sys

import pytest

from quboselect.streaming.progress import WIDTH, Progress


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self):
        return True


def ticking(*times):
    """Return a clock that shows these times, one after the other."""
    return iter(times).__next__


def test_a_stream_that_is_no_terminal_stays_empty_unless_asked():
    for shown, lines in ((None, 0), (False, 0), (True, 1)):
        stream = io.StringIO()
        with Progress(4, "counting", shown=shown, stream=stream) as progress:
            progress.add(4)
        assert stream.getvalue().count("\n") == lines


def test_a_line_is_written_at_every_tenth_and_no_more_often():
    stream = io.StringIO()
    with Progress(1000, "counting", shown=True, stream=stream) as progress:
        for _ in range(1000):
            progress.add(1)
    lines = stream.getvalue().splitlines()
    assert [line.split("%")[0].split()[-1] for line in lines] == [str(10 * i) for i in range(1, 11)]
    assert not any(mark in stream.getvalue() for mark in ("\r", "\x1b"))


def test_the_time_left_is_what_the_share_done_took_times_what_is_left():
    stream = io.StringIO()
    progress = Progress(100, "counting", shown=True, stream=stream, clock=ticking(0.0, 30.0, 1200.0, 7200.0))
    for amount in (10, 15, 75):
        progress.add(amount)
    assert [line.split("%")[1].strip() for line in stream.getvalue().splitlines()] == [
        "4:30 left",
        "1:00:00 left",
        "in 2:00:00",
    ]


def test_a_terminal_is_drawn_over_and_the_line_ended_once():
    stream = Terminal()
    with Progress(10, "counting", stream=stream, clock=ticking(0.0, 1.0, 1.1, 2.0)) as progress:
        for amount in (2, 3, 5):
            progress.add(amount)
    drawn = stream.getvalue()
    # The second came too soon after the first to be drawn.
    assert drawn.count("\r") == 2
    assert drawn.endswith("in 0:02\x1b[K\n")
    assert drawn.count("\n") == 1


def test_a_pass_that_is_over_at_once_draws_nothing_on_a_terminal():
    stream = Terminal()
    with Progress(10, "counting", stream=stream, clock=ticking(0.0, 0.1)) as progress:
        progress.add(10)
    assert stream.getvalue() == ""


def test_an_error_within_ends_the_line():
    stream = Terminal()
    progress = Progress(10, "counting", stream=stream, clock=ticking(0.0, 1.0))
    progress.add(1)
    with pytest.raises(KeyError), progress:
        raise KeyError
    assert stream.getvalue().endswith("\n")


def test_more_than_all_is_all_and_nothing_at_all_is_no_bar():
    stream = io.StringIO()
    with Progress(3, "counting", shown=True, stream=stream) as progress:
        progress.add(5)
    assert f"{'#' * WIDTH}  100 %" in stream.getvalue()
    for total, amount in ((0, 1), (5, 0)):
        stream = io.StringIO()
        with Progress(total, "counting", shown=True, stream=stream) as progress:
            progress.add(amount)
        assert stream.getvalue() == ""


def test_what_is_over_is_said_once_however_often_more_is_done():
    stream = io.StringIO()
    with Progress(3, "counting", shown=True, stream=stream) as progress:
        for _ in range(4):
            progress.add(3)
    assert stream.getvalue().count("100 %") == 1


def test_nothing_done_yet_says_no_time_left():
    stream = Terminal()
    with Progress(5, "counting", stream=stream, clock=ticking(0.0, 1.0)) as progress:
        progress.add(0)
    assert "0 %" in stream.getvalue()
    assert "left" not in stream.getvalue()


def test_a_program_without_standard_error_is_not_disturbed(monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    with Progress(2, "counting", shown=True) as progress:
        progress.add(2)
    assert progress.done == 2


def test_the_argument_is_true_false_or_none():
    with pytest.raises(
        TypeError, match="progress must be True, False, or None for a terminal only, got 'yes'"
    ):
        Progress(2, "counting", shown="yes")
