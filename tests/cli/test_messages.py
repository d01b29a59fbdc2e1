"""What the command says while it works."""

import logging
import sys
from types import SimpleNamespace

from quboselect.cli import messages


def test_what_the_library_is_at_is_the_progress_line_while_there_is_one(monkeypatch):
    shown = []
    line = SimpleNamespace(task_ids=[0], update=lambda _, description: shown.append(description))
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(messages, "_progress", [line])
    record = logging.makeLogRecord({"msg": "compiling, once %s", "args": ("here",)})
    messages._shown.emit(record)
    messages._progress.clear()
    messages._shown.emit(record)
    assert shown == ["compiling, once here"]
    assert not messages._progress
