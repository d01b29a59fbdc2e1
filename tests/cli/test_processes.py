"""The command as a process of its own: pipes, interrupts, start-up, memory."""

import contextlib
import os
import pty
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from quboselect.cli.app import ended_by_signals

COMMAND = [sys.executable, "-m", "quboselect.cli"]
HEAVY = "('numba', 'sklearn', 'scipy', 'numpy', 'polars')"


def typed(*arguments, **how):
    return subprocess.run([*COMMAND, *arguments], capture_output=True, check=False, timeout=60, **how)


def test_a_table_comes_in_through_a_pipe_and_names_go_out(folder):
    with open("table.csv", "rb") as file:
        ended = typed("select", "-", "-t", "class", "-k", "2", "--names", stdin=file)
    assert ended.returncode == 0, ended.stderr
    assert len(ended.stdout.splitlines()) == 2
    assert ended.stderr == b""


def test_a_reader_that_stops_early_sees_no_complaint(folder):
    first = subprocess.Popen(
        [*COMMAND, "datasets", "synth_10"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert first.stdout.readline().startswith(b"x0,")
    first.stdout.close()
    assert first.stderr.read() == b""
    first.stderr.close()
    assert first.wait(30) == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this machine has no /dev/full")
def test_full_standard_output_is_a_failure_in_words(folder):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, "datasets"], stdout=full, stderr=subprocess.PIPE, check=False, timeout=60
        )
    assert ended.returncode == 1
    assert ended.stderr == b"quboselect: standard output could not be written: No space left on device.\n"


def test_a_file_that_grows_too_large_is_taken_back(folder):
    code = (
        "import resource, sys; from quboselect.cli import main; "
        "before = resource.getrlimit(resource.RLIMIT_FSIZE); "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))\n"
        "try: main(sys.argv[1:])\n"
        "finally: resource.setrlimit(resource.RLIMIT_FSIZE, before)"
    )
    for name in ("out.csv.gz", "out.parquet"):
        ended = subprocess.run(
            [sys.executable, "-c", code, "datasets", "synth_10", "-o", name], capture_output=True, check=False
        )
        assert ended.returncode == 1, name
        assert ended.stderr.count(b"\n") == 1
        assert b"could not be written" in ended.stderr
        assert [path.name for path in folder.iterdir()] == ["table.csv"]


SLOW = """
import signal, sys, time
from quboselect.cli import main, writing

# Whoever runs the tests may ignore it, as nohup does.
signal.signal(signal.SIGHUP, signal.SIG_DFL)

def slowly(frame, part, separator, gzipped):
    part.write_text("half")
    print("writing", flush=True)
    time.sleep(60)

writing.write_text = slowly
main(sys.argv[1:])
"""


@pytest.mark.parametrize(
    ("sent", "code", "words"),
    [
        (signal.SIGINT, 130, b"interrupted."),
        (signal.SIGTERM, 143, b"ended by SIGTERM."),
        (signal.SIGHUP, 129, b"ended by SIGHUP."),
    ],
    ids=["SIGINT", "SIGTERM", "SIGHUP"],
)
def test_a_signal_ends_at_once_and_leaves_no_half_written_file(sent, code, words, folder):
    Path("old.csv").write_text("old")
    running = subprocess.Popen(
        [sys.executable, "-c", SLOW, "datasets", "ionosphere", "-o", "old.csv"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout.readline() == b"writing\n"
    assert len(list(folder.iterdir())) == 3
    running.send_signal(sent)
    assert running.wait(20) == code
    out, err = running.communicate()
    assert (out, err) == (b"", b"quboselect: " + words + b"\n")
    assert sorted(path.name for path in folder.iterdir()) == ["old.csv", "table.csv"]
    assert Path("old.csv").read_text() == "old"


EARLY = """
import sys, threading, types
from quboselect.cli import app, main

start, ended = threading.Thread.start, app._end_at_once

def interrupted(thread):
    start(thread)
    if thread.name == "quboselect":
        raise KeyboardInterrupt

def again(code, words):
    app._end_at_once = ended
    raise KeyboardInterrupt

threading.Thread.start = interrupted
times = sys.argv.pop(1)
if times == "twice":
    app._end_at_once = again
if times == "while files are loaded":
    sys.modules["quboselect.tables.files"] = types.ModuleType("quboselect.tables.files")
main(sys.argv[1:])
"""


@pytest.mark.parametrize("times", ["once", "twice", "while files are loaded"])
def test_an_interrupt_that_comes_before_the_main_thread_waits_ends_at_once_too(times, folder):
    asked = ("select", "table.csv", "-t", "class", "-k", "1", "-o", "new.csv")
    ended = subprocess.run([sys.executable, "-c", EARLY, times, *asked], capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (130, b"quboselect: interrupted.\n")
    assert [path.name for path in folder.iterdir()] == ["table.csv"]


def test_a_signal_that_is_ignored_stays_ignored_and_others_are_given_back():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_by_signals():
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["select", "--help"],
        ["select"],
        ["select", "x.csv"],
        ["info"],
        ["datasets"],
        ["datasets", "ionosphere", "-o", "table.csv"],
    ],
)
def test_what_computes_nothing_loads_nothing_heavy(arguments, folder):
    code = (
        "import sys, atexit; from quboselect.cli import main; "
        f"atexit.register(lambda: print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)); "
        "main(sys.argv[1:])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, check=False, timeout=60, text=True
    )
    loaded = set(eval(ended.stderr.splitlines()[-1]))
    # Reading a table takes polars; saying that there is none does not take numba.
    assert loaded <= ({"polars", "numpy"} if arguments[-1].endswith((".csv", "info", "datasets")) else set())


def test_progress_is_shown_on_a_terminal_and_taken_away(folder):
    code = (
        "import sys, time; from quboselect.cli import main, reading; "
        "reading._with_target = lambda *_: (time.sleep(0.8), 1 / 0); main(sys.argv[1:])"
    )
    arguments = [sys.executable, "-c", code, "select", "table.csv", "-t", "class", "-k", "2", "--names"]
    master, terminal = pty.openpty()
    running = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=terminal)
    os.close(terminal)
    said = b""
    with contextlib.suppress(OSError):
        # A terminal whose other end is closed answers with an error.
        while piece := os.read(master, 65536):
            said += piece
    os.close(master)
    out, _ = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, b"")
    assert b"reading table.csv" in said
    assert b"0:00:00" in said
    # The line is wiped and the cursor is back before anything is said.
    _, _, after = said.rpartition(b"reading table.csv")
    assert b"\x1b[2K" in after
    assert said.rindex(b"\x1b[?25h") > said.rindex(b"\x1b[?25l")
    assert after.rstrip().endswith(b"--debug shows where.")
    piped = subprocess.run(arguments, capture_output=True, check=False, timeout=60)
    assert piped.stderr.count(b"\n") == 1


def test_ctrl_c_under_a_bar_takes_it_away_first(folder):
    code = (
        "import sys, time; from quboselect.cli import main, reading; "
        "reading._with_target = lambda *_: time.sleep(60); main(sys.argv[1:])"
    )
    master, terminal = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-c", code, "select", "table.csv", "-t", "class"],
        stdout=subprocess.PIPE,
        stderr=terminal,
    )
    os.close(terminal)
    said, sent = b"", False
    with contextlib.suppress(OSError):
        while piece := os.read(master, 65536):
            said += piece
            if said.count(b"reading table.csv") > 2 and not sent:
                running.send_signal(signal.SIGINT)
                sent = True
    os.close(master)
    out, _ = running.communicate(timeout=60)
    assert (running.returncode, out, sent) == (130, b"", True)
    assert said.rindex(b"\x1b[?25h") > said.rindex(b"\x1b[?25l")
    assert said.rindex(b"interrupted.") > said.rindex(b"reading table.csv")
    assert said.endswith(b"quboselect: interrupted.\r\n")


def test_a_reduced_table_goes_into_pipes(folder):
    asked = ("select", "table.csv", "-t", "class", "-k", "1", "--output-format", "csv", "-o")
    ended = typed(*asked, "/dev/stdout")
    assert ended.returncode == 0, ended.stderr
    lines = ended.stdout.decode().splitlines()
    assert (len(lines), lines[0].split(",")[1:]) == (121, ["class"])
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE) as reader:
        assert typed(*asked, "pipe").returncode == 0
        assert reader.stdout.read() == ended.stdout
    assert Path("pipe").is_fifo()


def test_a_table_goes_to_the_end_of_what_is_open(folder):
    asked = ("datasets", "ionosphere", "--output-format", "csv", "-o")
    ended = typed(*asked, "/dev/stdout")
    assert (ended.returncode, ended.stdout.count(b"\n")) == (0, 352)
    read, write = os.pipe()
    with os.fdopen(read, "rb") as pipe, ThreadPoolExecutor(1) as reader:
        found = reader.submit(pipe.read)
        assert typed(*asked, f"/dev/fd/{write}", pass_fds=[write]).returncode == 0
        os.close(write)
        assert found.result(60) == ended.stdout
    with open("both.csv", "ab") as file:
        file.write(b"before\n")
        file.flush()
        subprocess.run([*COMMAND, *asked, "/dev/stdout"], stdout=file, check=True, timeout=60)
    assert Path("both.csv").read_bytes() == b"before\n" + ended.stdout


def test_a_pipe_that_is_closed_early_is_not_complained_about(folder):
    asked = ("datasets", "synth_10", "--output-format", "csv", "-o", "/dev/stdout")
    first = subprocess.Popen([*COMMAND, *asked], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert first.stdout.readline().startswith(b"x0,")
    first.stdout.close()
    assert first.stderr.read() == b""
    first.stderr.close()
    assert first.wait(30) == 141


# Memory of its own, looked at every few milliseconds: the peak that the system keeps counts pages of the file as well,
# which it maps and takes back as it likes.
MEASURE = """
import sys, threading, time
from quboselect import SelectQUBO
from quboselect.cli import main

def own():
    with open("/proc/self/status") as file:
        return int(file.read().partition("RssAnon:")[2].split()[0])

def watch():
    global peak
    while True:
        peak = max(peak, own())
        time.sleep(0.005)

SelectQUBO(k=1).fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1])
before = peak = own()
threading.Thread(target=watch, daemon=True).start()
try:
    main(sys.argv[1:])
except SystemExit as end:
    print(end.code, before, peak, file=sys.stderr)
"""


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="needs Linux, which tells memory of its own"
)
def test_a_large_csv_is_not_kept_twice(folder):
    rng = np.random.default_rng(0)
    lines = [",".join(f"{value:.6f}" for value in row) for row in rng.normal(size=(1100, 60))]
    with open("large.csv", "w") as file:
        file.write(",".join(f"x{i}" for i in range(60)) + ",y\n")
        for _ in range(200):
            file.write("\n".join(f"{line},{i % 2}" for i, line in enumerate(lines)) + "\n")
    size = Path("large.csv").stat().st_size
    assert size > 120e6
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            MEASURE,
            "select",
            "large.csv",
            "-t",
            "y",
            "-k",
            "3",
            "--effort",
            "0",
            "-o",
            "o.arrow",
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    code, before, after = map(int, ended.stderr.splitlines()[-1].split())
    assert code == 0, ended.stderr
    held = 220_000 * 61 * 8
    # The table once, its codes, one byte a value and twenty bits besides; twice the table would be too much.
    grown = 1024 * (after - before)
    print(f"file {size / 1e6:.0f} MB, in memory {held / 1e6:.0f} MB, peak above start {grown / 1e6:.0f} MB")
    assert grown < 2.2 * held


def test_shells_complete_the_names_of_solvers():
    def completed(line):
        environment = {
            **os.environ,
            "_QUBOSELECT_COMPLETE": "complete_bash",
            "COMP_WORDS": line,
            "COMP_CWORD": str(len(line.split(" ")) - 1),
        }
        return typed(env=environment, text=True).stdout.split()

    assert completed("quboselect select t.csv --solver ")[:3] == ["portfolio", "branch", "exhaustive"]
    assert completed("quboselect select t.csv --solver ta") == ["tabu"]
    assert completed("quboselect datasets io") == ["ionosphere"]
    assert "select" in completed("quboselect s")


def test_an_interrupted_count_does_not_wait_for_its_kernel(folder):
    # A thread that never comes back to Python stands for a kernel.
    code = (
        "import sys; from quboselect.cli import main, reading; import ctypes; "
        "reading._with_target = lambda *a: (print('busy', flush=True), ctypes.CDLL(None).sleep(60)); main(sys.argv[1:])"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", code, "select", "table.csv", "-t", "class", "-k", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout.readline() == b"busy\n"
    sent = time.monotonic()
    running.send_signal(signal.SIGINT)
    assert running.wait(20) == 130
    assert time.monotonic() - sent < 20
    running.communicate()
