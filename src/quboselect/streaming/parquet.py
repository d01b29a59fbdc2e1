"""Parquet files as batches of samples.

Only the needed columns are read, some megabytes of them at a time, so that memory grows neither with the samples nor
with the size of the row groups. What can be wrong with the files themselves (a column that is missing or of another
kind, a broken file) is refused by name before anything is counted.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from difflib import get_close_matches
from numbers import Integral
from typing import Any

from ..errors import optional
from ..tables.feature_names import positions
from .checks import Batch, check_target

BATCH = 2**26  # bytes of a batch once it is in memory
LEAST = 1000  # samples of a batch, even of a very wide table: each column of a batch costs as much as they do
TEXT = 64  # bytes that a text takes, about
BUFFER = 2**16  # bytes read ahead in each column
KINDS = {"boolean": "true and false", "integer": "numbers", "floating": "numbers", "decimal": "numbers"}
KINDS |= dict.fromkeys(("string", "large_string", "binary", "large_binary", "dictionary"), "text")
KINDS |= dict.fromkeys(("string_view", "binary_view"), "text") | {"null": "nothing"}
KINDS |= {"timestamp": "dates", "date": "dates", "time": "times", "duration": "durations"}

Progress = Callable[[int, int], Any]


@dataclass(frozen=True, eq=False)
class ParquetBatches:
    """Samples in files, in batches; it can be read any number of times. Make it with `parquet_batches`.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    target : str
        The column that is the target.
    names : tuple of str
        The columns that are features.
    unread : frozenset of str
        Features that are not read: they are missing in every sample.
    filter : pyarrow.compute.Expression, optional
        Which samples to take.
    batch_size : int
        The most samples of a batch.
    n_samples : int
        The number of samples before the filter.
    all_groups : bool
        Whether to read all row groups of a file, and not only those that a given dataset names.
    progress : function, optional
        Called as ``progress(samples_read, n_samples)`` after each batch has been used.
    weight : str, optional
        The column that holds the weights.
    """

    dataset: Any
    target: str
    names: tuple[str, ...]
    unread: frozenset[str]
    filter: Any
    batch_size: int
    n_samples: int
    all_groups: bool
    progress: Progress | None = None
    weight: str | None = None

    @property
    def heads(self) -> "ParquetBatches":
        """The same targets and weights, with the first feature alone."""
        return replace(self, names=self.names[:1], progress=None)

    @property
    def columns(self) -> tuple[str, ...]:
        """The features, the target, and the weights, if there are any."""
        return (*self.names, self.target) if self.weight is None else (*self.names, self.target, self.weight)

    def __iter__(self) -> Iterator[Batch]:
        done = 0
        for batch in self._batches():
            yield batch
            done += batch.X.num_rows
            if self.progress is not None and done < self.n_samples:
                self.progress(done, self.n_samples)
        if self.progress is not None:
            self.progress(self.n_samples, self.n_samples)

    def _batches(self) -> Iterator[Batch]:
        for i, fragment in enumerate(self.dataset.get_fragments(filter=self.filter)):
            name, folders, row = _fragment_name(fragment, i), _folder_values(fragment), 0
            wanted = [c for c in self.columns if c not in folders and c not in self.unread]
            records = self._records(fragment, wanted)
            while True:
                with _errors_naming_file(name):
                    record = next(records, None)
                    if record is None:
                        break
                    where = f"{name} from row {row}" if row and self.filter is None else name
                    batch = self._batch(record, folders, where) if record.num_rows else None
                row += record.num_rows
                if batch is not None:
                    yield batch

    def _batch(self, record: Any, folders: Mapping[str, Any], where: str) -> Batch:
        """Return a batch with the features that are not in the file: those of folders, and those that are not read."""
        pa, schema = _arrow(), self.dataset.schema
        columns = {}
        for column in self.columns:
            if column in folders or column in self.unread:
                value = pa.scalar(folders.get(column), schema.field(column).type)
                columns[column] = pa.repeat(value, record.num_rows)
            else:
                columns[column] = record.column(column)
        weight = None if self.weight is None else pa.chunked_array([columns.pop(self.weight)])
        y = pa.chunked_array([columns.pop(self.target)])
        return Batch(pa.table(columns), y, where, weight)

    def _records(self, fragment: Any, columns: list[str]) -> Iterator[Any]:
        """Yield the record batches of a file, decoding as little at a time as it allows."""
        if self.filter is None and _is_parquet(fragment):
            # A scan would decode whole row groups, which in many files are a million samples each.
            with _open_file(fragment) as file:
                groups = _row_groups(fragment, file, self.all_groups)
                yield from file.iter_batches(self.batch_size, row_groups=groups, columns=columns)
            return
        schema, parts = self.dataset.schema, [fragment]
        if _is_parquet(fragment):
            if self.all_groups:
                # The dataset keeps all that its own fragments read; it does not know this one.
                place = fragment.path, fragment.filesystem, fragment.partition_expression
                fragment = fragment.format.make_fragment(*place)
            if not fragment.metadata.num_rows:
                return
            # Numbers may have another width in every file: they keep it.
            for field in fragment.physical_schema:
                if field.name in schema.names:
                    schema = schema.set(schema.get_field_index(field.name), field)
            parts = fragment.split_by_row_group(self.filter, schema)
        options = {"batch_size": self.batch_size, "batch_readahead": 0, "fragment_readahead": 0}
        for part in parts:
            yield from part.to_batches(schema=schema, columns=columns, filter=self.filter, **options)


def parquet_batches(
    path: Any,
    target: str,
    *,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    exclude: Any = None,
    filter: Any = None,  # noqa: A002
    batch_size: int | None = None,
    progress: Progress | None = None,
) -> ParquetBatches:
    """Return the samples of files as batches, after every check that does not need the values.

    Parameters
    ----------
    path : path, list of paths, or pyarrow.dataset.Dataset
        A file, a folder, or several files. Names of folders such as ``year=2026`` are columns too.
    target : str
        The column that is the target.
    features : sequence of str, optional
        The columns that are features; None is all but the target and the weights.
    weight : str, optional
        The column that says how much each sample counts, as `sample_weight` of a table in memory.
    exclude : names, indices or a bool array, optional
        Features that are not read.
    filter : pyarrow.compute.Expression, optional
        Which samples to take. With it, a whole row group is in memory at a time.
    batch_size : int, optional
        The most samples of a batch; None is as many as take 64 megabytes, and 1000 at the least.
    progress : function, optional
        Called as ``progress(samples_read, all_samples)`` after each batch, from the first again in each pass.
    """
    integral = isinstance(batch_size, Integral) and not isinstance(batch_size, bool)
    if batch_size is not None and not (integral and batch_size >= 1):
        raise ValueError(f"batch_size must be a number of samples, at least 1, or None, got {batch_size!r}.")
    if progress is not None and not callable(progress):
        raise TypeError(
            f"progress must be a function of (samples_read, all_samples) or None, got {progress!r}."
        )
    dataset, given = _dataset(path)
    columns = dataset.schema.names
    check_target(target)
    _check_columns([target], columns, "target")
    ends = (target,) if weight is None else (target, weight)
    _check_columns(ends[1:], columns, "weight")
    names = tuple(c for c in columns if c not in ends) if features is None else _feature_names(features)
    _check_columns(names, columns, "features")
    if weight == target or weight in names:
        raise ValueError(f"weight must be a column other than the target and the features, got {weight!r}.")
    if target in names or not names:
        raise ValueError(f"features must be columns other than the target {target!r}, got {list(names)}.")
    left_out = () if exclude is None else positions(exclude, len(names), names, "exclude")
    unread = frozenset(names[i] for i in left_out)
    _check_filter(dataset, filter)
    types, rows = _column_types(
        dataset,
        [c for c in (*names, *ends) if c not in unread],
        filter=filter,
        all_groups=not given,
        complete=features is None and not given,
    )
    if not rows:
        raise ValueError(
            f"the files must hold at least one sample{'' if filter is None else ' that the filter takes'}."
        )
    if batch_size is None:
        batch_size = max(int(BATCH / sum(map(_value_bytes, types.values()))), LEAST)
    if weight is not None and _column_kind(types[weight], weight, "the files") != "numbers":
        raise ValueError(f"weight must be a column of numbers, but {weight!r} holds {types[weight]}.")
    shape = int(batch_size), rows, not given
    return ParquetBatches(dataset, target, names, unread, filter, *shape, progress, weight)


def _arrow(part: str = "") -> Any:
    """Return pyarrow, or a part of it."""
    return optional(f"pyarrow{part}", "arrow", "fit_parquet")


def _dataset(path: Any) -> tuple[Any, bool]:
    """Return a dataset of Arrow, and whether it was given as one."""
    datasets = _arrow(".dataset")
    if isinstance(path, datasets.Dataset):
        return path, True
    single = isinstance(path, str | os.PathLike)
    try:
        where: Any = os.fspath(path) if single else [os.fspath(file) for file in path]
    except TypeError as error:
        raise TypeError(
            f"path must be a file, a folder, a list of files or a pyarrow Dataset, got {type(path).__name__}."
        ) from error
    if not where:
        raise ValueError("path must name at least one file, got none.")
    what = where if single else "the files"
    try:
        dataset = datasets.dataset(where, format="parquet", partitioning="hive")
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"path must name Parquet files, or a folder of them: there is no {error}, seen from {os.getcwd()}."
        ) from error
    except (OSError, ValueError) as error:
        # Arrow's message names the file, where there are several.
        raise ValueError(f"cannot read {what}: {error}") from error
    except _arrow().ArrowException as error:
        raise ValueError(
            f"cannot read {what}: {error}; a column and a folder such as year=2026 may have the same name only if they "
            "have the same type: rename one."
        ) from error
    if not dataset.schema.names:
        raise ValueError(f"{where} must hold Parquet files, but there is none.")
    return dataset, False


def _feature_names(features: Any) -> tuple[str, ...]:
    several = isinstance(features, Iterable) and not isinstance(features, str | bytes)
    features = tuple(features) if several else features
    if not several or not all(isinstance(name, str) for name in features):
        raise TypeError(f"features must be a list of names of columns, got {features!r}.")
    names: tuple[str, ...] = features
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"features must be distinct, but {twice[0]!r} occurs twice.")
    return names


def _check_columns(names: Sequence[Any], columns: Sequence[str], argument: str) -> None:
    """Raise where a name is not that of a column, with the nearest names."""
    known = set(columns)
    for name in names:
        if name in known:
            continue
        near = get_close_matches(str(name), columns, 3)
        some = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {some}."
        raise ValueError(f"{argument} must name a column of the files, got {name!r}: {hint}")


def _check_filter(dataset: Any, filter: Any) -> None:  # noqa: A002
    """Raise where a filter is not an expression of the columns."""
    if filter is None:
        return
    try:
        dataset.scanner(columns=[], filter=filter)
    except (TypeError, ValueError) as error:
        reason = str(error).partition(" in ")[0]
        raise ValueError(
            f"filter must be an expression of columns, as pyarrow.dataset.field('year') > 2020 ({reason})."
        ) from error


def _column_types(
    dataset: Any,
    wanted: Sequence[str],
    *,
    filter: Any = None,  # noqa: A002
    all_groups: bool = True,
    complete: bool = False,
) -> tuple[dict[str, Any], int]:
    """Return the types of columns and the number of samples, or name the file and the column that do not fit.

    Every file must have the ``wanted`` columns, of one kind (numbers may differ in width), and no others where
    ``complete``. Files that the filter leaves out are not opened.
    """
    known = frozenset(dataset.schema.names)
    types: dict[str, tuple[Any, str, str]] = {}
    before, rows = "", 0
    for i, fragment in enumerate(dataset.get_fragments(filter=filter)):
        name = _fragment_name(fragment, i)
        with _errors_naming_file(name):
            schema, count = _schema_and_rows(fragment, all_groups)
        if not count:
            # A file without samples may have any columns.
            continue
        here = {field.name: field.type for field in schema}
        here |= {c: dataset.schema.field(c).type for c in _folder_values(fragment) if c in known}
        strange = sorted(here.keys() - known) if complete else []
        if strange:
            raise ValueError(
                f"every file must have the same columns, but {name} has {strange[0]!r} and {before or 'another'} has "
                "not: name the columns to use, features=[...]."
            )
        for column in wanted:
            if column not in here:
                raise ValueError(
                    f"every file must have the same columns, but {name} has no {column!r}: add it, or name the columns "
                    "to use, features=[...]."
                )
            dtype, kind = here[column], _column_kind(here[column], column, name)
            other, expected, first = types.get(column, (dtype, "nothing", name))
            if expected == "nothing":
                types[column] = dtype, kind, name
            elif kind not in ("nothing", expected):
                raise ValueError(
                    f"a column must hold the same in every file, but {column!r} holds {kind} ({dtype}) in {name} and "
                    f"{expected} ({other}) in {first}."
                )
        before, rows = name, rows + count
    return {column: dtype for column, (dtype, _, _) in types.items()}, rows


def _schema_and_rows(fragment: Any, all_groups: bool) -> tuple[Any, int]:
    """Return the schema of a file and its number of samples."""
    if not _is_parquet(fragment):
        return fragment.physical_schema, fragment.count_rows()
    # Opened here, as a fragment of the dataset keeps what it read for as long as the dataset lives.
    with _open_file(fragment) as file:
        groups = _row_groups(fragment, file, all_groups)
        return file.schema_arrow, sum(file.metadata.row_group(i).num_rows for i in groups)


def _column_kind(dtype: Any, column: str, name: str) -> str:
    """Return what a column holds by its type, or refuse what cannot be put into bins."""
    types = _arrow(".types")
    for kind, words in KINDS.items():
        # Older releases know no views.
        if getattr(types, f"is_{kind}", bool)(dtype):
            return words
    raise ValueError(
        f"a column must hold numbers, dates, text, categories or true and false, but {column!r} in {name} holds "
        f"{dtype}: make numbers of it, or leave it out by features=[...] or exclude."
    )


def _is_parquet(fragment: Any) -> bool:
    """Return whether a part of a dataset is a Parquet file."""
    return isinstance(fragment, _arrow(".dataset").ParquetFileFragment)


def _fragment_name(fragment: Any, i: int) -> str:
    """Return the name of a part of a dataset in errors: its file, or its number."""
    return str(getattr(fragment, "path", "")) or f"part {i}"


def _folder_values(fragment: Any) -> Mapping[str, Any]:
    """Return the columns that the folders of a file give, as in ``year=2026``."""
    keys: Mapping[str, Any] = _arrow(".dataset").get_partition_keys(fragment.partition_expression)
    return keys


def _open_file(fragment: Any) -> Any:
    """Return a Parquet file that reads through a small buffer: a whole row group may not fit into memory."""
    return _arrow(".parquet").ParquetFile(fragment.open(), buffer_size=BUFFER, pre_buffer=False)


def _row_groups(fragment: Any, file: Any, all_groups: bool) -> list[int]:
    """Return the row groups of a file to read."""
    return (
        list(range(file.metadata.num_row_groups))
        if all_groups
        else [group.id for group in fragment.row_groups]
    )


def _value_bytes(dtype: Any) -> float:
    """Return about how many bytes one value takes, with the bit that says whether it is missing."""
    try:
        return (max(int(dtype.bit_width), 8) + 1) / 8
    except ValueError:
        return TEXT


@contextmanager
def _errors_naming_file(name: str) -> Iterator[None]:
    """Name the file in an error of reading it."""
    try:
        yield
    except (OSError, ValueError, _arrow().ArrowException) as error:
        raise ValueError(f"cannot read {name}, is it broken? ({error})") from error
