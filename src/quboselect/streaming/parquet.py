"""Parquet files become batches of samples. A path or a dataset of Arrow's flows in; tables of bounded size flow out.

Only the columns that are needed are read, some megabytes of them at a time, so that memory does not grow with the
samples, however large the row groups. `SelectQUBO` gets its ``fit_parquet`` from here.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

from ..tables.feature_names import positions
from .fragments import (
    arrow,
    check_filter,
    check_known,
    columns_of,
    dataset_of,
    groups_of,
    is_parquet,
    name_of,
    opened,
    partition_of,
    told,
)
from .progress import Progress
from .schema import Batch

BATCH = 2**26  # bytes of a batch once it is in memory
LEAST = 64  # samples of a batch, however wide
TEXT = 64  # bytes that a text takes, about


@dataclass(frozen=True, eq=False)
class ParquetBatches:
    """Samples in files, in batches; it can be gone through any number of times. Make it with `parquet_batches`.

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
        How many samples there are, before the filter.
    whole : bool
        Whether files are read whole, and not the row groups of them that a given dataset names.
    """

    dataset: Any
    target: str
    names: tuple[str, ...]
    unread: frozenset[str]
    filter: Any
    batch_size: int
    n_samples: int
    whole: bool

    def __iter__(self) -> Iterator[Batch]:
        for i, fragment in enumerate(self.dataset.get_fragments(filter=self.filter)):
            name, parts, row = name_of(fragment, i), partition_of(fragment), 0
            wanted = [c for c in (*self.names, self.target) if c not in parts and c not in self.unread]
            batches = self._read(fragment, wanted)
            while True:
                with told(name):
                    batch = next(batches, None)
                if batch is None:
                    break
                where = f"{name} from row {row}" if row and self.filter is None else name
                row += batch.num_rows
                if batch.num_rows:
                    with told(name):
                        completed = self._completed(batch, parts, where)
                    yield completed

    def _completed(self, batch: Any, parts: Any, where: str) -> Batch:
        """Return a batch with what the files do not hold: features of folders, and those that are not read."""
        pa, schema = arrow(), self.dataset.schema
        columns = {}
        for column in (*self.names, self.target):
            if column in parts or column in self.unread:
                value = pa.scalar(parts.get(column), schema.field(column).type)
                columns[column] = pa.repeat(value, batch.num_rows)
            else:
                columns[column] = batch.column(column)
        y = pa.chunked_array([columns.pop(self.target)])
        return Batch(pa.table(columns), y, where)

    def _read(self, fragment: Any, columns: list[str]) -> Iterator[Any]:
        """Yield the batches of a file, decoding as little at a time as it allows."""
        if self.filter is None and is_parquet(fragment):
            # A scan would decode whole row groups, which in many a file are a million samples each.
            with opened(fragment) as file:
                groups = groups_of(fragment, file, self.whole)
                yield from file.iter_batches(self.batch_size, row_groups=groups, columns=columns)
            return
        schema, parts = self.dataset.schema, [fragment]
        if is_parquet(fragment):
            if self.whole:
                # One that the dataset does not know, and so does not keep with all that it reads.
                known = fragment.path, fragment.filesystem, fragment.partition_expression
                fragment = fragment.format.make_fragment(*known)
            if not fragment.metadata.num_rows:
                return
            # Numbers may be of another width in every file: they stay what they are.
            for field in fragment.physical_schema:
                if field.name in schema.names:
                    schema = schema.set(schema.get_field_index(field.name), field)
            parts = fragment.split_by_row_group(self.filter, schema)
        options = {"batch_size": self.batch_size, "batch_readahead": 0, "fragment_readahead": 0}
        for part in parts:
            yield from part.to_batches(schema=schema, columns=columns, filter=self.filter, **options)


class Watched:
    """Batches that draw a bar of progress each time that they are gone through: first for values, then for pairs."""

    def __init__(self, batches: ParquetBatches, shown: bool | None) -> None:
        self._batches, self._shown = batches, shown
        self._labels = iter(("pass 1 of 2, values", "pass 2 of 2, pairs"))

    def __iter__(self) -> Iterator[Batch]:
        label = next(self._labels, "once more")
        with Progress(self._batches.n_samples, label, shown=self._shown) as progress:
            for batch in self._batches:
                yield batch
                progress.add(batch.X.num_rows)
            progress.add(self._batches.n_samples)


def parquet_batches(
    path: Any,
    target: str,
    *,
    features: Sequence[str] | None = None,
    exclude: Any = None,
    filter: Any = None,  # noqa: A002
    batch_size: int | None = None,
) -> ParquetBatches:
    """Return the samples of files as batches, after every check that needs no look at a value.

    Parameters
    ----------
    path : path, list of paths, or pyarrow.dataset.Dataset
        A file, a folder, or several files. What the folders are named for, as in ``year=2026``, are columns too.
    target : str
        The column that is the target.
    features : sequence of str, optional
        The columns that are features; None is all but the target.
    exclude : names, indices or a bool array, optional
        Features that are not read.
    filter : pyarrow.compute.Expression, optional
        Which samples to take. With it, a row group is in memory at a time.
    batch_size : int, optional
        The most samples of a batch; None is as many as take 64 megabytes.
    """
    whole = isinstance(batch_size, Integral) and not isinstance(batch_size, bool)
    if batch_size is not None and not (whole and batch_size >= 1):
        raise ValueError(f"batch_size must be a number of samples, at least 1, or None, got {batch_size!r}.")
    dataset, given = dataset_of(path)
    columns = dataset.schema.names
    check_known([target], columns, "target")
    names = tuple(c for c in columns if c != target) if features is None else _listed(features)
    check_known(names, columns, "features")
    if target in names or not names:
        raise ValueError(f"features must be columns other than the target {target!r}, got {list(names)}.")
    left_out = () if exclude is None else positions(exclude, len(names), names, "exclude")
    unread = frozenset(names[i] for i in left_out)
    check_filter(dataset, filter)
    types, rows = columns_of(
        dataset,
        [c for c in (*names, target) if c not in unread],
        filter=filter,
        whole=not given,
        complete=features is None and not given,
    )
    if not rows:
        raise ValueError(
            f"the files must hold at least one sample{'' if filter is None else ' that the filter takes'}."
        )
    if batch_size is None:
        batch_size = max(int(BATCH / sum(map(_width, types.values()))), LEAST)
    return ParquetBatches(dataset, target, names, unread, filter, int(batch_size), rows, not given)


def _listed(features: Any) -> tuple[str, ...]:
    listed = isinstance(features, Iterable) and not isinstance(features, str | bytes)
    features = tuple(features) if listed else features
    if not listed or not all(isinstance(name, str) for name in features):
        raise TypeError(f"features must be a list of names of columns, got {features!r}.")
    names: tuple[str, ...] = features
    twice = [name for name in names if names.count(name) > 1] if len(set(names)) < len(names) else []
    if twice:
        raise ValueError(f"features must be distinct, but {twice[0]!r} occurs twice.")
    return names


def _width(dtype: Any) -> float:
    """Return about how many bytes one value takes, and the bit that says whether it is missing."""
    try:
        return (max(int(dtype.bit_width), 8) + 1) / 8
    except ValueError:
        return TEXT
