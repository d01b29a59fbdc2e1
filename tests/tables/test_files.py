"""Files: samples come back as they were, wrong files and other QUBOs are refused, nothing is left half written."""

import json
import os
import signal
import socket
import stat
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import solver_oracles as oracles
from pipe_ends import in_background
from quboselect import QUBO, Solutions
from quboselect.solvers import Portfolio
from quboselect.tables import files


@pytest.fixture
def qubo():
    return oracles.random_qubo(11, 4)


@given(seed=st.integers(0, 10_000), n=st.integers(1, 20), known=st.booleans())
@settings(max_examples=40, deadline=None)
def test_samples_come_back_as_they_were(tmp_path_factory, seed, n, known):
    rng = np.random.default_rng(seed)
    qubo = oracles.random_qubo(n, seed, signed=True)
    bound = -1e3 - rng.random() if seed % 2 else -np.inf
    x = rng.random((int(rng.integers(1, 40)), n)) < 0.5
    samples = Solutions.of(qubo, x, bound=bound, info={"nodes": 3})
    path = tmp_path_factory.mktemp("samples") / "s.json"
    samples.save(path, qubo=qubo if known else None)
    back = Solutions.load(path)
    assert np.array_equal(back.x, samples.x)
    assert np.array_equal(back.energy, samples.energy)
    assert np.array_equal(back.count, samples.count)
    assert back.bound == bound
    assert dict(back.info) == {"nodes": 3}
    # Without its QUBO's name, energies can vouch for the bits, but not for the bound.
    assert Solutions.load(path, qubo=qubo).bound == (bound if known else -np.inf)


def test_info_is_kept_as_far_as_json_can_say_it(tmp_path, qubo):
    samples = Portfolio()(qubo)
    assert "certificate" in samples.info
    info = {
        **samples.info,
        "embedding": {0: (7, 9)},
        "share": np.array([0.5, 0.25]),
        "worst": np.inf,
        "when": np.int64(3),
    }
    Solutions(samples.x, samples.energy, samples.count, samples.bound, info).save(
        tmp_path / "s.json", qubo=qubo
    )
    back = Solutions.load(tmp_path / "s.json", qubo=qubo)
    assert back.proven
    assert back.info["embedding"] == {"0": [7, 9]}
    assert back.info["share"] == [0.5, 0.25]
    assert back.info["worst"] == "inf"
    assert back.info["when"] == 3
    assert "certificate" not in back.info
    assert "certificate" in json.loads((tmp_path / "s.json").read_text())["left_out"]


def test_the_bits_are_packed_first_bit_highest(tmp_path):
    qubo = QUBO(-np.ones(9), np.zeros((9, 9)))
    Solutions.of(qubo, [1, 0, 0, 0, 0, 0, 0, 0, 1]).save(tmp_path / "s.json")
    assert json.loads((tmp_path / "s.json").read_text())["x"] == ["8080"]


def test_a_digest_tells_coefficients_apart_and_not_the_sign_of_zero():
    qubo = QUBO([-1.0, -2.0], [[0.0, 0.5], [0.5, 0.0]])
    zeros, minus = QUBO([0.0, 1.0], np.zeros((2, 2))), QUBO([-0.0, 1.0], -np.zeros((2, 2)))
    assert files.digest(zeros) == files.digest(minus)
    others = [
        QUBO([-2.0, -1.0], qubo.couplings),
        QUBO([-1.0, np.nextafter(-2.0, 0)], qubo.couplings),
        QUBO([-1.0, -2.0], np.zeros((2, 2))),
        QUBO([-1.0, -2.0, 0.0], np.zeros((3, 3))),
    ]
    assert len({files.digest(each) for each in [qubo, *others]}) == 5


def test_samples_of_another_qubo_are_refused_in_words(tmp_path, qubo):
    path = tmp_path / "s.json"
    samples = Solutions.of(qubo, np.eye(11))
    samples.save(path, qubo=qubo)
    with pytest.raises(ValueError, match="holds samples of 11 bits, but the QUBO has 10"):
        Solutions.load(path, qubo=oracles.random_qubo(10, 4))
    with pytest.raises(ValueError, match=r"belongs to another QUBO: 11 of 11 stored energies are wrong"):
        Solutions.load(path, qubo=QUBO(2.0 * qubo.linear, qubo.couplings))
    # Single bits do not feel a coupling, but the digest does.
    with pytest.raises(ValueError, match=r"belongs to another QUBO: it names \w{12}, this one is \w{12}"):
        Solutions.load(path, qubo=QUBO(qubo.linear, np.zeros((11, 11))))
    with pytest.raises(ValueError, match="belongs to another QUBO"):
        samples.save(path, qubo=QUBO(2.0 * qubo.linear, qubo.couplings))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "must be a JSON file: Expecting value"),
        ("\xff\xfe", "must be a JSON file"),
        ("[1, 2]", "must hold one JSON object, got a list"),
        ('{"record": []}', r"must be a file of samples.*it holds \['record'\]. Other people's samples"),
        ('{"format": "quboselect samples", "version": 2}', "version 2 of the format, and this is version 1"),
        ('{"format": "quboselect samples", "version": 2}', "written by a newer quboselect"),
        (
            '{"format": "quboselect samples", "version": 0}',
            "version 0 .* written by something else than quboselect",
        ),
        ('{"format": "quboselect samples", "version": 1}', "is a damaged file of samples: KeyError: 'x'"),
    ],
)
def test_wrong_files_are_refused_in_words(tmp_path, text, words):
    (tmp_path / "s.json").write_text(text, encoding="latin-1")
    with pytest.raises(ValueError, match=words):
        Solutions.load(tmp_path / "s.json")


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("x", ["8080"], "must have one length"),
        ("x", ["zz"], "non-hexadecimal"),
        ("x", [], "at least one row"),
        ("x", lambda rows: rows[::-1], "samples must be sorted, the lowest energy first"),
        ("energy", [1.0], "must have one length"),
        ("energy", lambda values: values[::-1], "samples must be sorted, the lowest energy first"),
        ("energy", lambda values: [*values[:3], np.nan, *values[4:]], "energy must be finite numbers"),
        ("energy", lambda values: [str(each) for each in values], "energy must be finite numbers"),
        ("count", [1.7] + [1] * 10, "count must be 11 positive integers"),
        ("count", [0] * 11, "count must be 11 positive integers"),
        ("count", [-1] * 11, "count must be 11 positive integers"),
        ("bound", "low", "could not convert"),
        ("bound", 100.0, "bound must not be above the lowest energy"),
        ("bits", None, "NoneType"),
        ("qubo", 5, "qubo must be a digest or null, got 5"),
        ("info", 3, "not iterable"),
        ("info", {"chain_break_fraction": "few"}, "chain_break_fraction must be finite numbers"),
        ("info", {"chain_break_fraction": [0.1]}, "chain_break_fraction must be one number for each sample"),
    ],
)
def test_damaged_files_are_refused_in_words(tmp_path, qubo, name, value, words):
    path = tmp_path / "s.json"
    Solutions.of(qubo, np.eye(11)).save(path)
    document = json.loads(path.read_text())
    document[name] = value(document[name]) if callable(value) else value
    if name == "x" and callable(value):
        # As a file would be whose rows, all of them, are the wrong way round.
        document["energy"] = value(document["energy"])
    path.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=f"is a damaged file of samples.*{words}"):
        Solutions.load(path)
    with pytest.raises(ValueError, match=f"is a damaged file of samples.*{words}"):
        Solutions.load(path, qubo=qubo)


def test_samples_that_tie_need_not_be_sorted_by_what_rounding_makes_of_them(tmp_path):
    qubo = QUBO([-1.0, -1.0 - 1e-14], [[0, 5.0], [5.0, 0]])
    samples = Solutions.of(qubo, [[0, 1], [1, 0]])
    assert samples.energy[0] > samples.energy[1]
    samples.save(tmp_path / "s.json")
    assert np.array_equal(Solutions.load(tmp_path / "s.json").x, samples.x)
    # Nor what is not lowest, and a bound may be off as much.
    after = Solutions(
        [[0, 0], [0, 1], [1, 0]], [-2.0, np.nextafter(1.0, 2.0), 1.0], [1, 1, 1], np.nextafter(-2.0, 0.0)
    )
    after.save(tmp_path / "s.json")
    assert Solutions.load(tmp_path / "s.json").proven


def test_a_file_is_replaced_and_never_written_over(tmp_path, qubo):
    path, other = tmp_path / "s.json", tmp_path / "other.json"
    Solutions.of(qubo, np.eye(11)).save(path)
    # Another name of the old file: what writes over it changes what is read here.
    os.link(path, other)
    before = other.read_text()
    Solutions.of(qubo, np.zeros(11)).save(path)
    assert path.read_text() != before == other.read_text()


def test_a_file_that_cannot_be_put_in_place_leaves_the_old_one_and_no_other(tmp_path, qubo, monkeypatch):
    path = tmp_path / "s.json"
    Solutions.of(qubo, np.eye(11)).save(path)
    before = path.read_text()

    def refused(*_):
        raise PermissionError("not allowed")

    monkeypatch.setattr(files.Path, "replace", refused)
    with pytest.raises(PermissionError, match="not allowed"):
        Solutions.of(qubo, np.zeros(11)).save(path)
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["s.json"]


def test_a_link_stays_one_and_its_file_is_written(tmp_path, qubo):
    (tmp_path / "there").mkdir()
    path, link = tmp_path / "there" / "s.json", tmp_path / "link.json"
    link.symlink_to(path)
    for x in (np.eye(11), np.zeros(11)):
        Solutions.of(qubo, x).save(link)
        assert link.is_symlink()
        assert np.array_equal(Solutions.load(path).x, Solutions.of(qubo, x).x)
    assert [each.name for each in path.parent.iterdir()] == ["s.json"]


def test_a_file_that_cannot_be_written_leaves_the_old_one_and_no_other(tmp_path, qubo, monkeypatch):
    path = tmp_path / "s.json"
    Solutions.of(qubo, np.eye(11)).save(path)
    before = path.read_text()

    def full(_):
        raise OSError("no space left")

    monkeypatch.setattr(files.os, "fsync", full)
    with pytest.raises(OSError, match="no space left"):
        Solutions.of(qubo, np.zeros(11)).save(path)
    assert path.read_text() == before
    assert [each.name for each in tmp_path.iterdir()] == ["s.json"]


def test_a_folder_that_is_not_there_is_not_made(tmp_path, qubo):
    with pytest.raises(FileNotFoundError):
        Solutions.of(qubo, np.eye(11)).save(tmp_path / "nowhere" / "s.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_given_everything_and_stays_one(tmp_path):
    # More than a pipe holds at once.
    samples = Solutions([[1]], [0.0], [1], info={"said": "much " * 50_000})
    samples.save(tmp_path / "s.json")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        reader, got = in_background((tmp_path / name).read_bytes)
        writer, ended = in_background(samples.save, tmp_path / name)
        writer.join(30)
        reader.join(30)
        assert ended == [None]
        assert got == [(tmp_path / "s.json").read_bytes()]
    assert (tmp_path / "pipe").is_fifo()
    assert (tmp_path / "link").is_symlink()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["link", "pipe", "s.json"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="this system has no sockets with a name")
def test_what_is_no_file_and_cannot_be_written_is_not_replaced(tmp_path, qubo, monkeypatch):
    # The name of a socket may be only so long.
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as there:
        there.bind("there")
        with pytest.raises(OSError, match="there"):
            Solutions.of(qubo, np.eye(11)).save("there")
        assert [each.is_socket() for each in tmp_path.iterdir()] == [True]


@pytest.mark.skipif(not os.path.isdir("/dev/fd"), reason="this system has no names for open files")
def test_an_open_file_is_written_on_and_not_replaced(tmp_path):
    with open(tmp_path / "a.txt", "wb", buffering=0) as file:
        file.write(b"before, ")
        with files.whole(f"/dev/fd/{file.fileno()}") as part:
            part.write_text("after")
        assert os.path.samestat(os.fstat(file.fileno()), os.stat(tmp_path / "a.txt"))
    assert [each.read_text() for each in tmp_path.iterdir()] == ["before, after"]


@pytest.mark.skipif(os.name != "posix", reason="this system has other modes")
@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444, 0o666], ids=oct)
def test_a_file_that_is_replaced_leaves_its_mode_to_the_new_one(tmp_path, qubo, mode):
    path = tmp_path / "s.json"
    path.write_text("old")
    path.chmod(mode)
    (tmp_path / "link.json").symlink_to(path)
    Solutions.of(qubo, np.eye(11)).save(tmp_path / "link.json")
    assert Solutions.load(path).x.shape == (11, 11)
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.skipif(os.name != "posix", reason="this system has other modes")
def test_nobody_reads_what_is_half_written_who_may_not_read_the_file(tmp_path):
    (tmp_path / "a.txt").touch(0o600)
    with files.whole(tmp_path / "a.txt") as part:
        part.write_text("half")
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
    # A new file is as any other new one.
    (tmp_path / "b.txt").touch()
    with files.whole(tmp_path / "c.txt") as part:
        part.write_text("new")
    assert (tmp_path / "c.txt").stat().st_mode == (tmp_path / "b.txt").stat().st_mode


@pytest.mark.parametrize("name", ["a" * 251 + ".txt", "\N{PARROT}" * 62 + ".txt"], ids=["letters", "birds"])
def test_the_longest_name_can_be_written_and_its_part_has_its_suffix(tmp_path, name):
    with files.whole(tmp_path / name) as part:
        part.write_text("all")
        assert part.suffix == ".txt"
    assert [(each.name, each.read_text()) for each in tmp_path.iterdir()] == [(name, "all")]


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system kills in another way")
def test_a_process_that_is_killed_while_it_writes_leaves_the_old_file(tmp_path):
    (tmp_path / "s.json").write_text("old")
    code = (
        "import os, signal; from quboselect import QUBO, Solutions\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "Solutions.of(QUBO([-1.0], [[0.0]]), [1]).save('s.json')"
    )
    ended = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60)
    assert ended.returncode == -signal.SIGKILL
    assert (tmp_path / "s.json").read_text() == "old"
