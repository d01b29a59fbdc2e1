"""Files larger than memory: the same features as in memory, and errors that name the file and the column."""

import sys

import numpy as np
import pytest

from quboselect import SelectQUBO, criteria
from quboselect.errors import MissingExtra
from quboselect.streaming.parquet import BATCH, parquet_batches

pa = pytest.importorskip("pyarrow")
ds = pytest.importorskip("pyarrow.dataset")
pq = pytest.importorskip("pyarrow.parquet")

N = 600


def table(seed=0, rows=N):
    """Return an Arrow table of every kind of feature, with holes, and a label that some of them tell."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=rows)
    gone = rng.random(rows) < 0.1
    return pa.table(
        {
            "a": pa.array(hidden + rng.normal(size=rows), mask=gone),
            "whole": rng.integers(0, 50, rows).astype(np.int16),
            "town": pa.array(rng.choice(["Ulm", "Bonn", "Kiel"], rows), mask=rng.random(rows) < 0.1),
            "flag": hidden > rng.normal(size=rows),
            "b": hidden.astype(np.float32),
            "kind": pa.array(rng.choice(["x", "y"], rows)).dictionary_encode(),
            "y": np.where(hidden > 0, "yes", "no"),
        }
    )


def written(folder, whole, files=3, row_group_size=70):
    """Write a table as several files, and return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    step = -(-whole.num_rows // files)
    for i in range(files):
        part = whole.slice(i * step, step)
        pq.write_table(part, folder / f"part-{i}.parquet", row_group_size=row_group_size)
    return folder


def in_memory(whole, **parameters):
    return SelectQUBO(k=3, **parameters).fit(whole.drop_columns(["y"]), whole.column("y"))


def assert_same(selector, expected):
    np.testing.assert_array_equal(selector.support_, expected.support_)
    np.testing.assert_array_equal(selector.importance_, expected.importance_)
    np.testing.assert_array_equal(selector.redundancy_, expected.redundancy_)
    assert selector.alpha_window_ == expected.alpha_window_
    assert selector.feature_names_in_.tolist() == expected.feature_names_in_.tolist()
    assert selector.n_features_in_ == expected.n_features_in_


def together(batches):
    """Return the features and the target of all batches as one table."""
    X = pa.concat_tables([batch.X for batch in batches], promote_options="permissive")
    return X.append_column("y", pa.concat_tables([pa.table({"y": batch.y}) for batch in batches]).column("y"))


@pytest.mark.parametrize("batch_size", [None, 1, 37, 10_000])
def test_batches_are_the_files_in_order_of_any_size(tmp_path, batch_size):
    whole = table()
    batches = parquet_batches(written(tmp_path / "t", whole), "y", batch_size=batch_size)
    assert together(batches).cast(whole.schema) == whole
    assert together(batches).num_rows == batches.n_samples == N
    assert all(batch.X.num_rows <= (batch_size or N) for batch in batches)


def test_every_batch_has_the_name_of_its_file_and_its_first_row(tmp_path):
    folder = written(tmp_path / "t", table(rows=60), files=2)
    names = [batch.name for batch in parquet_batches(folder, "y", batch_size=20)]
    first, second = (str(folder / f"part-{i}.parquet") for i in (0, 1))
    assert names == [first, f"{first} from row 20", second, f"{second} from row 20"]


def test_a_batch_is_bounded_in_bytes_however_wide_the_table_and_large_the_row_groups(tmp_path):
    wide = pa.table({f"f{i}": np.zeros(9_000) for i in range(1000)} | {"y": np.arange(9_000) % 2})
    pq.write_table(wide, tmp_path / "wide.parquet", row_group_size=9_000)
    batches = parquet_batches(tmp_path / "wide.parquet", "y")
    assert BATCH / 2 < max(batch.X.nbytes for batch in batches) <= BATCH
    narrow = parquet_batches(tmp_path / "wide.parquet", "y", features=["f0"])
    assert narrow.batch_size > 400 * batches.batch_size


def test_only_the_columns_that_are_needed_are_read(tmp_path, monkeypatch):
    folder = written(tmp_path / "t", table(), files=1)
    read = []
    iter_batches = pq.ParquetFile.iter_batches

    def watched(self, *args, columns, **options):
        read.append(columns)
        return iter_batches(self, *args, columns=columns, **options)

    monkeypatch.setattr(pq.ParquetFile, "iter_batches", watched)
    batches = parquet_batches(folder, "y", features=["whole", "a", "town"], exclude=["town"])
    ((X, *_),) = batches
    assert read == [["whole", "a", "y"]]
    assert X.schema.names == ["whole", "a", "town"]
    assert X.column("town").null_count == N


def test_folders_are_features_and_can_be_the_target(tmp_path):
    whole = table()
    for year, place, start in ((2020, "north", 0), (2020, "south", 200), (2021, "north", 400)):
        written(tmp_path / f"year={year}" / f"place={place}", whole.slice(start, 200), files=2)
    X = together(parquet_batches(tmp_path, "y"))
    assert X.schema.names == ["a", "whole", "town", "flag", "b", "kind", "year", "place", "y"]
    assert X.column("year").to_pylist() == [2020] * 400 + [2021] * 200
    assert X.column("place").to_pylist() == ["north"] * 200 + ["south"] * 200 + ["north"] * 200
    assert X.select(whole.schema.names).cast(whole.schema) == whole
    labels = pa.chunked_array(
        [batch.y.chunk(0) for batch in parquet_batches(tmp_path, "place", features=["a"])]
    )
    assert labels.to_pylist() == X.column("place").to_pylist()


@pytest.mark.parametrize("size", [None, 7])
def test_a_filter_takes_samples_by_value_and_by_folder(tmp_path, size):
    whole = table()
    for year, start in ((2020, 0), (2021, 300)):
        written(tmp_path / f"year={year}", whole.slice(start, 300), files=2)
    condition = (ds.field("year") == 2021) & (ds.field("whole") < 25)
    batches = parquet_batches(tmp_path, "y", features=["a", "town"], filter=condition, batch_size=size)
    kept = whole.slice(300, 300)
    kept = kept.filter(pa.compute.less(kept.column("whole"), 25)).select(["a", "town", "y"])
    assert together(batches) == kept
    assert batches.n_samples == 300


def test_a_dataset_of_any_kind_is_taken_as_it_is(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    assert together(parquet_batches(ds.dataset(folder), "y")).cast(whole.schema) == whole
    assert together(parquet_batches(ds.dataset(whole), "y")).cast(whole.schema) == whole
    # Some row groups of a file, as a dataset with a file of metadata has them.
    (fragment,) = ds.dataset(folder / "part-0.parquet").get_fragments()
    some = ds.FileSystemDataset(
        [fragment.subset(row_group_ids=[1])], whole.schema, fragment.format, fragment.filesystem
    )
    batches = parquet_batches(some, "y")
    assert together(batches).cast(whole.schema) == whole.slice(70, 70)
    assert batches.n_samples == 70


def test_numbers_may_be_wider_in_one_file_than_in_another_and_all_missing_in_a_third(tmp_path):
    for i, column in enumerate(
        (np.array([1, 2], np.int8), np.array([1.5, 2.5]), pa.nulls(2), np.array([2**40, 3]))
    ):
        pq.write_table(pa.table({"a": column, "y": [0, 1]}), tmp_path / f"{i}.parquet")
    expected = [1, 2, 1.5, 2.5, None, None, 2**40, 3]
    for condition in (None, ds.field("y") >= 0):
        batches = parquet_batches(tmp_path, "y", filter=condition)
        assert [value for batch in batches for value in batch.X.column("a").to_pylist()] == expected


def test_a_column_that_is_missing_is_named_with_its_file(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    pq.write_table(whole.drop_columns(["town"]), folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1\.parquet .*'town'"):
        parquet_batches(folder, "y")
    assert together(parquet_batches(folder, "y", features=["a", "b"])).num_rows == 400 + N
    pq.write_table(whole.append_column("new", whole.column("a")), folder / "part-1.parquet")
    with pytest.raises(ValueError, match=r"part-1\.parquet .*'new'.*part-0\.parquet"):
        parquet_batches(folder, "y")


def test_a_column_that_holds_something_else_is_named_with_both_files(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    other = whole.set_column(1, "whole", pa.array(["1"] * N))
    pq.write_table(other, folder / "part-2.parquet")
    words = r"'whole'.*string.*part-2\.parquet.*int16.*part-0\.parquet"
    with pytest.raises(ValueError, match=words):
        parquet_batches(folder, "y")


def test_a_file_without_samples_may_hold_anything(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    other = whole.set_column(1, "whole", pa.array(["1"] * N)).drop_columns(["town"]).slice(0, 0)
    pq.write_table(other, folder / "part-9.parquet")
    for condition, rows in ((None, N), (ds.field("whole") > -1, N)):
        assert together(parquet_batches(folder, "y", filter=condition)).num_rows == rows


def test_a_folder_and_a_column_of_one_name_must_be_of_one_type(tmp_path):
    for year, names in ((2020, ["x", "y"]), (2021, ["z", "y"])):
        (tmp_path / f"year={year}").mkdir()
        part = pa.table({"a": [1.0, 2.0], "year": names, "y": [0, 1]})
        pq.write_table(part, tmp_path / f"year={year}" / "part.parquet")
    with pytest.raises(ValueError, match=r"Field year has incompatible types"):
        parquet_batches(tmp_path, "y")


def test_text_may_be_a_view(tmp_path):
    whole = table()
    viewed = whole.set_column(2, "town", whole.column("town").cast(pa.string_view()))
    try:
        pq.write_table(viewed, tmp_path / "t.parquet")
    except pa.ArrowNotImplementedError:
        pytest.skip("this release of pyarrow writes no views")
    assert_same(SelectQUBO(k=3).fit_parquet(tmp_path, "y"), in_memory(whole))


def test_lists_are_refused_by_name_unless_they_are_left_out(tmp_path):
    whole = pa.table({"a": [1, 2], "many": [[1], [2]], "y": [0, 1]})
    pq.write_table(whole, tmp_path / "t.parquet")
    with pytest.raises(ValueError, match=r"'many' in .*t\.parquet .*list<"):
        parquet_batches(tmp_path, "y")
    ((X, *_),) = parquet_batches(tmp_path, "y", exclude=["many"])
    assert X.schema.names == ["a", "many"]


def test_dates_durations_and_times_are_numbers(tmp_path):
    rng = np.random.default_rng(0)
    steps = rng.integers(0, 10**6, 200)
    whole = pa.table(
        {
            "day": pa.array((steps // 10**4).astype(np.int32), pa.date32()),
            "when": pa.array(np.where(steps % 7, steps, None), pa.timestamp("ms", tz="UTC")),
            "took": pa.array(rng.integers(0, 100, 200), pa.duration("s")),
            "at": pa.array(rng.integers(0, 86_400, 200).astype(np.int32), pa.time32("s")),
            "y": (steps > 5 * 10**5).astype(int),
        }
    )
    pq.write_table(whole.slice(0, 80), tmp_path / "a.parquet")
    pq.write_table(whole.slice(80), tmp_path / "b.parquet")
    found = SelectQUBO(k=2).fit_parquet(tmp_path, "y")
    assert_same(found, SelectQUBO(k=2).fit(whole.drop_columns("y"), whole["y"]))
    numbers = np.column_stack(
        [
            steps // 10**4,
            np.where(steps % 7, steps, np.nan),
            whole["took"].cast(pa.int64()),
            whole["at"].cast("int32"),
        ]
    )
    assert_same(
        found, SelectQUBO(k=2).fit(pa.table(list(numbers.T), names=whole.column_names[:4]), whole["y"])
    )


def test_a_broken_file_is_named(tmp_path):
    folder = written(tmp_path / "t", table())
    path = folder / "part-1.parquet"
    good = path.read_bytes()
    for broken in (b"", good[: len(good) // 2], b"not Parquet"):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=r"cannot read .*part-1\.parquet"):
            parquet_batches(folder, "y")
    # The end of the file, where it says what it holds, is sound, but what it holds is not.
    path.write_bytes(good[:4] + bytes(2000) + good[2004:])
    batches = parquet_batches(folder, "y")
    with pytest.raises(ValueError, match=r"cannot read .*part-1\.parquet"):
        list(batches)
    path.write_bytes(good)
    (folder / "part-0.parquet").write_bytes(b"")
    with pytest.raises(ValueError, match=r"cannot read .*part-0\.parquet"):
        parquet_batches(folder, "y")


def test_names_that_are_not_there_are_told_with_those_near(tmp_path):
    folder = written(tmp_path / "t", table())
    with pytest.raises(ValueError, match=r"target.*'kin'.*'kind'\?"):
        parquet_batches(folder, "kin")
    with pytest.raises(ValueError, match=r"target.* 7.*'a', 'whole', 'town', 'flag', 'b', 'kind', 'y'\."):
        parquet_batches(folder, 7)
    with pytest.raises(ValueError, match=r"features.*'twon'.*'town'\?"):
        parquet_batches(folder, "y", features=["a", "twon"])
    with pytest.raises(ValueError, match=r"exclude.*'twon'.*'town'\?"):
        parquet_batches(folder, "y", exclude="twon")


def test_arguments_that_make_no_sense_are_refused_in_words(tmp_path):
    folder = written(tmp_path / "t", table())
    with pytest.raises(ValueError, match=r"features.*target 'y'"):
        parquet_batches(folder, "y", features=["a", "y"])
    with pytest.raises(ValueError, match=r"features.*'a'.*twice"):
        parquet_batches(folder, "y", features=["a", "b", "a"])
    for wrong in ("a", b"a", 5, ["a", 1]):
        with pytest.raises(TypeError, match=r"features.*list"):
            parquet_batches(folder, "y", features=wrong)
    for size in (0, True, 2.5):
        with pytest.raises(ValueError, match=f"batch_size.*{size}"):
            parquet_batches(folder, "y", batch_size=size)
    with pytest.raises(ValueError, match=r"filter.*No match for FieldRef.Name\(z\)"):
        parquet_batches(folder, "y", filter=ds.field("z") > 1)
    with pytest.raises(ValueError, match=r"filter.*field"):
        parquet_batches(folder, "y", filter="a > 1")
    with pytest.raises(TypeError, match=r"path.*int"):
        parquet_batches(3, "y")
    with pytest.raises(ValueError, match=r"path.*none"):
        parquet_batches([], "y")
    with pytest.raises(FileNotFoundError, match=r"path.*nowhere"):
        parquet_batches(tmp_path / "nowhere", "y")
    (tmp_path / "empty").mkdir()
    with pytest.raises(ValueError, match=r"empty.*none"):
        parquet_batches(tmp_path / "empty", "y")
    pq.write_table(table().slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(ValueError, match=r"at least one sample\."):
        parquet_batches(tmp_path / "none.parquet", "y")
    with pytest.raises(ValueError, match=r"at least one sample .*filter"):
        parquet_batches(ds.dataset(folder, partitioning="hive"), "y", filter=ds.scalar(False))


@pytest.mark.parametrize("batch_size", [None, 50])
def test_a_fit_from_files_is_the_fit_in_memory_to_the_last_bit(tmp_path, batch_size):
    whole = table()
    folder = written(tmp_path / "t", whole)
    expected = in_memory(whole)
    files = sorted(folder.iterdir())
    for path in (folder, str(folder), files, [str(file) for file in files], ds.dataset(folder)):
        selector = SelectQUBO(k=3).fit_parquet(path, "y", batch_size=batch_size)
        assert_same(selector, expected)
        assert selector.n_samples_seen_ == N
        assert selector.rank_error_ == 0.0
    taken = selector.set_output(transform="pandas").transform(whole.drop_columns(["y"]))
    assert list(taken.columns) == expected.get_feature_names_out().tolist()


@pytest.mark.parametrize("name", ["Pairs", "QFS", "MRMR", "MIFS", "JMI", "CMI", "CIFE", "ICAP", "DISR"])
def test_every_criterion_gives_the_same_bits_from_files(tmp_path, name):
    whole, criterion = table(), getattr(criteria, name)()
    folder = written(tmp_path / "t", whole)
    selector = SelectQUBO(k=3, criterion=criterion).fit_parquet(folder, "y", batch_size=90)
    assert_same(selector, in_memory(whole, criterion=criterion))


def test_a_fit_of_partitions_and_of_a_filter_is_that_of_the_same_table_in_memory(tmp_path):
    whole = table()
    for town in ("Ulm", "Bonn", "Kiel"):
        part = whole.filter(pa.compute.equal(whole.column("town"), town)).drop_columns(["town"])
        written(tmp_path / f"town={town}", part)
    complete = ds.dataset(tmp_path, partitioning="hive").to_table()
    selector = SelectQUBO(k=3).fit_parquet(tmp_path, target="y")
    assert_same(selector, in_memory(complete))
    condition = (ds.field("town") != "Ulm") & (ds.field("whole") > 10)
    selector = SelectQUBO(k=3).fit_parquet(tmp_path, target="y", filter=condition)
    assert_same(selector, in_memory(complete.filter(condition)))
    assert selector.n_samples_seen_ == complete.filter(condition).num_rows


def test_features_and_wishes_are_those_of_a_fit_in_memory(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    names = ["b", "town", "a", "whole"]
    selector = SelectQUBO(k=2, exclude=["b"], include=["town"]).fit_parquet(folder, "y", features=names)
    expected = SelectQUBO(k=2, exclude=["b"], include=["town"]).fit(whole.select(names), whole.column("y"))
    assert_same(selector, expected)
    wishes = {"categorical_features": ["whole"], "target_type": "continuous", "k": 2}
    selector = SelectQUBO(**wishes).fit_parquet(folder, "b", features=["a", "town", "whole"])
    expected = SelectQUBO(**wishes).fit(whole.select(["a", "town", "whole"]), whole.column("b"))
    assert_same(selector, expected)


def test_what_is_refused_leaves_the_selector_as_it_was(tmp_path):
    whole = table()
    folder = written(tmp_path / "t", whole)
    selector = SelectQUBO(k=3).fit_parquet(folder, "y")
    before = dict(vars(selector))

    def refused(words, path=folder, target="y", error=ValueError, **options):
        with pytest.raises(error, match=words):
            selector.fit_parquet(path, target, **options)
        assert vars(selector) == before

    refused("target.*'kind'", target="kidn")
    refused("filter", filter=3)
    refused("progress.*'yes'", error=TypeError, progress="yes")
    infinite = whole.set_column(4, "b", pa.array([1.0] * (N - 1) + [np.inf]))
    pq.write_table(infinite, folder / "part-1.parquet")
    refused(r"part-1\.parquet from row 550: .*'b' is inf", batch_size=50)
    unlabelled = whole.set_column(6, "y", pa.array([None] + ["no"] * (N - 1)))
    pq.write_table(unlabelled, folder / "part-1.parquet")
    refused(r"part-1\.parquet: y .*sample 0 is None")
    pq.write_table(whole.set_column(1, "whole", whole.column("town")), folder / "part-1.parquet")
    refused(r"'whole'.*string.*part-1\.parquet")
    good = (folder / "part-2.parquet").read_bytes()
    (folder / "part-1.parquet").write_bytes(good[:4] + bytes(2000) + good[2004:])
    refused(r"cannot read .*part-1\.parquet")
    (folder / "part-1.parquet").unlink()
    refused("1 B", error=MemoryError, max_bytes=1)


def test_what_counts_cannot_give_is_refused_before_a_file_is_opened(tmp_path):
    with pytest.raises(ValueError, match=r"k.*'auto'"):
        SelectQUBO(k="auto").fit_parquet(tmp_path / "nowhere", "y")


def test_progress_is_told_how_far_each_of_the_two_passes_is(tmp_path, capfd):
    folder = written(tmp_path / "t", table(), row_group_size=N)
    told = []
    SelectQUBO(k=3).fit_parquet(folder, "y", batch_size=150, progress=lambda *done: told.append(done))
    assert told == [(n, N) for n in (150, 200, 350, 400, 550, 600)] * 2
    told.clear()
    options = {"filter": ds.field("whole") > 10, "progress": lambda *done: told.append(done)}
    SelectQUBO(k=3).fit_parquet(folder, "y", **options)
    # Samples that the filter leaves out are done at the end of a pass.
    assert told[-1] == (N, N)
    assert told.count((N, N)) == 2
    assert capfd.readouterr() == ("", "")


def test_too_many_distinct_values_are_sketched_and_said(tmp_path):
    whole = pa.table({"a": np.random.default_rng(0).normal(size=20_000), "y": np.arange(20_000) % 2})
    pq.write_table(whole, tmp_path / "t.parquet")
    assert SelectQUBO(k=1).fit_parquet(tmp_path, "y").rank_error_ == 0.0
    selector = SelectQUBO(k=1).fit_parquet(tmp_path, "y", exact_bytes=10_000, batch_size=3000)
    assert 0 < selector.rank_error_ < 0.02


def test_a_machine_without_pyarrow_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow.dataset", None)
    with pytest.raises(MissingExtra, match=r'pyarrow.dataset.*pip install "quboselect\[arrow\]"'):
        SelectQUBO(k=1).fit_parquet(tmp_path, "y")


def test_a_row_group_is_never_in_memory_as_a_whole(tmp_path):
    rng = np.random.default_rng(0)
    whole = pa.table({f"f{i}": rng.integers(0, 99, 60_000) for i in range(50)} | {"y": np.arange(60_000) % 2})
    pq.write_table(whole, tmp_path / "t.parquet", row_group_size=60_000)
    before = pa.total_allocated_bytes()
    batches = parquet_batches(tmp_path, "y", batch_size=3000)
    held = [pa.total_allocated_bytes() - before for _ in batches]
    assert len(held) == 20
    assert max(held) < whole.nbytes / 3
