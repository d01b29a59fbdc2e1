"""Where compiled code is kept, who may have put it there, and what is said while it is made."""

import logging
import os
import stat
from types import SimpleNamespace

import pytest

from quboselect._kernels import compiling
from quboselect._kernels.rng import below

USER = os.geteuid() if hasattr(os, "geteuid") else None
pytestmark = pytest.mark.skipif(USER is None, reason="folders have no owners here")


def folder_in(parent):
    return parent / f"quboselect-{USER}"


def test_the_folder_is_ours_alone_and_is_found_again(tmp_path):
    found = compiling.private_folder((str(tmp_path),))
    assert found == str(folder_in(tmp_path))
    assert stat.S_IMODE(os.stat(found).st_mode) == 0o700
    assert compiling.private_folder((str(tmp_path),)) == found


def test_the_first_parent_that_will_do_is_taken(tmp_path):
    assert compiling.private_folder((str(tmp_path / "missing"), str(tmp_path))) == str(folder_in(tmp_path))
    assert compiling.private_folder((str(tmp_path / "missing"),)) is None


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o702])
def test_a_folder_that_others_can_enter_will_not_do(tmp_path, mode):
    folder_in(tmp_path).mkdir()
    folder_in(tmp_path).chmod(mode)
    assert compiling.private_folder((str(tmp_path),)) is None


def test_a_link_will_not_do(tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder_in(tmp_path).symlink_to(tmp_path / "elsewhere")
    assert compiling.private_folder((str(tmp_path),)) is None


def test_a_file_will_not_do(tmp_path):
    folder_in(tmp_path).write_text("")
    assert compiling.private_folder((str(tmp_path),)) is None


def test_a_parent_in_which_others_can_rename_will_not_do(tmp_path):
    tmp_path.chmod(0o777)
    assert compiling.private_folder((str(tmp_path),)) is None
    tmp_path.chmod(0o1777)
    assert compiling.private_folder((str(tmp_path),)) == str(folder_in(tmp_path))


@pytest.mark.skipif(USER != 0, reason="only root can give a folder away")
def test_a_folder_of_somebody_else_will_not_do(tmp_path):
    folder_in(tmp_path).mkdir(mode=0o700)
    os.chown(folder_in(tmp_path), 54321, 54321)
    assert compiling.private_folder((str(tmp_path),)) is None


def test_what_takes_seconds_is_said_once(caplog):
    telling = compiling._Telling()
    theirs = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=os.getcwd)})
    with caplog.at_level(logging.INFO, "quboselect"):
        telling.on_start(theirs)
        assert not caplog.messages
        for _ in range(2):
            telling.on_start(SimpleNamespace(data={"dispatcher": below}))
    (line,) = caplog.messages
    assert "compiling" in line
    assert str(below.stats.cache_path) in line
