"""Files are replaced when they are complete: nothing is left half written, and pipes and links stay what they are."""

import os
import signal
import socket
import stat
import subprocess
import sys

import pytest

from pipe_ends import in_background
from quboselect.tables import files


def write(path, text):
    with files.whole_file(path) as part:
        part.write_text(text)


def test_a_file_is_replaced_and_never_written_over(tmp_path):
    path, other = tmp_path / "a.txt", tmp_path / "other.txt"
    write(path, "old")
    # Another name of the old file: whoever writes over the file changes what is read here.
    os.link(path, other)
    write(path, "new")
    assert (path.read_text(), other.read_text()) == ("new", "old")


@pytest.mark.parametrize(
    ("place", "error"), [("Path.replace", PermissionError("not allowed")), ("os.fsync", OSError("no space"))]
)
def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_other(tmp_path, monkeypatch, place, error):
    path = tmp_path / "a.txt"
    write(path, "old")

    def refused(*_):
        raise error

    monkeypatch.setattr(f"quboselect.tables.files.{place}", refused)
    with pytest.raises(type(error), match=str(error)):
        write(path, "new")
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [("a.txt", "old")]


def test_a_link_stays_one_and_its_file_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    path, link = tmp_path / "there" / "a.txt", tmp_path / "link.txt"
    link.symlink_to(path)
    for text in ("first", "second"):
        write(link, text)
        assert link.is_symlink()
        assert path.read_text() == text
    assert [each.name for each in path.parent.iterdir()] == ["a.txt"]


def test_a_folder_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(FileNotFoundError):
        write(tmp_path / "nowhere" / "a.txt", "new")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_given_everything_and_stays_one(tmp_path):
    # More than a pipe holds at once.
    text = "much " * 50_000
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        reader, got = in_background((tmp_path / name).read_text)
        writer, ended = in_background(write, tmp_path / name, text)
        writer.join(30)
        reader.join(30)
        assert ended == [None]
        assert got == [text]
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "pipe"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets with a name")
def test_what_is_no_file_and_cannot_be_written_is_not_replaced(tmp_path, monkeypatch):
    # The length of a socket's name is limited.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("there")
        with pytest.raises(OSError, match="there"):
            write("there", "new")
        assert [each.is_socket() for each in tmp_path.iterdir()] == [True]


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system has no names for open files")
def test_an_open_file_is_written_on_and_not_replaced(tmp_path):
    with open(tmp_path / "a.txt", "wb", buffering=0) as file:
        file.write(b"before, ")
        write(f"/dev/fd/{file.fileno()}", "after")
        assert os.path.samestat(os.fstat(file.fileno()), os.stat(tmp_path / "a.txt"))
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before, after"]


@pytest.mark.skipif(os.name != "posix", reason="this system has other modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666], ids=oct)
def test_a_file_that_is_replaced_leaves_its_mode_to_the_new_one(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    (tmp_path / "link.txt").symlink_to(path)
    write(tmp_path / "link.txt", "new")
    assert path.read_text() == "new"
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="this system has other modes")
def test_a_part_can_be_read_only_by_those_who_may_read_the_file(tmp_path):
    (tmp_path / "a.txt").touch(0o600)
    with files.whole_file(tmp_path / "a.txt") as part:
        part.write_text("half")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
    # A new file is as any other new one.
    (tmp_path / "b.txt").touch()
    write(tmp_path / "c.txt", "new")
    assert (tmp_path / "c.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


@pytest.mark.parametrize("name", ["a" * 251 + ".txt", "\N{PARROT}" * 62 + ".txt"], ids=["letters", "birds"])
def test_the_longest_name_can_be_written_and_its_part_has_its_suffix(tmp_path, name):
    with files.whole_file(tmp_path / name) as part:
        part.write_text("all")
        assert part.suffix == ".txt"
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(name, "all")]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills in another way")
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path):
    (tmp_path / "a.txt").write_text("old")
    code = (
        "import os, signal; from quboselect.tables.files import whole_file\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "with whole_file('a.txt') as part: part.write_text('new')"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "a.txt").read_text() == "old"
