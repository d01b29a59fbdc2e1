"""The files behind a dataset of Arrow's. A path flows in; files, and what their columns hold, flow out to be read.

What can be wrong with files as such, a column that is missing or that holds something else, a file that is broken, is
said here, by name, before anything is counted.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from ..errors import optional

BUFFER = 2**16  # bytes read ahead in each column
KINDS = {"boolean": "true and false", "integer": "numbers", "floating": "numbers", "decimal": "numbers"}
KINDS |= dict.fromkeys(("string", "large_string", "binary", "large_binary", "dictionary"), "text")
KINDS |= dict.fromkeys(("string_view", "binary_view"), "text") | {"null": "nothing"}


def arrow(part: str = "") -> Any:
    """Return pyarrow, or a part of it."""
    return optional(f"pyarrow{part}", "arrow", "fit_parquet")


def dataset_of(path: Any) -> tuple[Any, bool]:
    """Return a dataset of Arrow's, and whether it was given as one.

    Parameters
    ----------
    path : path, list of paths, or pyarrow.dataset.Dataset
    """
    datasets = arrow(".dataset")
    if isinstance(path, datasets.Dataset):
        return path, True
    one = isinstance(path, str | os.PathLike)
    try:
        where: Any = os.fspath(path) if one else [os.fspath(file) for file in path]
    except TypeError as error:
        raise TypeError(
            f"path must be a file, a folder, a list of files or a pyarrow Dataset, got {type(path).__name__}."
        ) from error
    if not where:
        raise ValueError("path must name at least one file, got none.")
    try:
        dataset = datasets.dataset(where, format="parquet", partitioning="hive")
    except FileNotFoundError as error:
        raise FileNotFoundError(
            f"path must name Parquet files, or a folder of them, that are there; there is no {error}: look for it from "
            f"{os.getcwd()}."
        ) from error
    except (OSError, ValueError) as error:
        # Arrow's words name the file, where it is one of several.
        raise ValueError(f"cannot read {where if one else 'the files'}: {error}") from error
    except arrow().ArrowException as error:
        raise ValueError(
            f"cannot read {where if one else 'the files'}: {error}; what a folder is named for, as in year=2026, may "
            "stand in its files too only with the same type: rename one."
        ) from error
    if not dataset.schema.names:
        raise ValueError(f"{where} must hold Parquet files, but there is none.")
    return dataset, False


def check_known(names: Sequence[Any], columns: Sequence[str], argument: str) -> None:
    """Raise where a name is none of a column, saying which are near."""
    known = set(columns)
    for name in names:
        if name in known:
            continue
        near = get_close_matches(str(name), columns, 3)
        some = ", ".join(map(repr, columns[:10])) + (", ..." if len(columns) > 10 else "")
        hint = f"did you mean {' or '.join(map(repr, near))}?" if near else f"there are {some}."
        raise ValueError(f"{argument} must name a column of the files, got {name!r}: {hint}")


def check_filter(dataset: Any, filter: Any) -> None:  # noqa: A002
    """Raise where a filter is none, or speaks of columns that there are not."""
    if filter is None:
        return
    try:
        dataset.scanner(columns=[], filter=filter)
    except (TypeError, ValueError) as error:
        reason = str(error).partition(" in ")[0]
        raise ValueError(
            f"filter must be an expression of columns, as pyarrow.dataset.field('year') > 2020 ({reason})."
        ) from error


def columns_of(
    dataset: Any,
    wanted: Sequence[str],
    *,
    filter: Any = None,  # noqa: A002
    whole: bool = True,
    complete: bool = False,
) -> tuple[dict[str, Any], int]:
    """Return the types of columns and the number of samples, or name the file and the column that do not fit.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset
    wanted : sequence of str
        Columns that every file must have, and of one kind: a number may be wider here than there, but not text.
    filter : pyarrow.compute.Expression, optional
        Files that it leaves out are not looked at.
    whole : bool
        Whether the files are read whole, and not the row groups of them that the dataset names.
    complete : bool
        Whether the wanted columns are all there should be.
    """
    known = frozenset(dataset.schema.names)
    types: dict[str, tuple[Any, str, str]] = {}
    before, rows = "", 0
    for i, fragment in enumerate(dataset.get_fragments(filter=filter)):
        name = name_of(fragment, i)
        with told(name):
            schema, count = _footer(fragment, whole)
        if not count:
            # It holds nothing, so nothing in it can be wrong.
            continue
        here = {field.name: field.type for field in schema}
        here |= {c: dataset.schema.field(c).type for c in partition_of(fragment) if c in known}
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
            dtype, kind = here[column], _kind(here[column], column, name)
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


def _footer(fragment: Any, whole: bool) -> tuple[Any, int]:
    """Return the schema of a file and its number of samples, which stand at its end."""
    if not is_parquet(fragment):
        return fragment.physical_schema, fragment.count_rows()
    # Opened here and not by the fragment, which keeps what it read for as long as the dataset lives.
    with opened(fragment) as file:
        groups = groups_of(fragment, file, whole)
        return file.schema_arrow, sum(file.metadata.row_group(i).num_rows for i in groups)


def _kind(dtype: Any, column: str, name: str) -> str:
    """Return what a column holds by its type, or refuse what has no place in a bin."""
    types = arrow(".types")
    for kind, words in KINDS.items():
        # Older releases know no views.
        if getattr(types, f"is_{kind}", bool)(dtype):
            return words
    raise ValueError(
        f"a column must hold numbers, text, categories or true and false, but {column!r} in {name} holds {dtype}: make "
        "numbers of it, or leave it out, features=[...] or exclude."
    )


def is_parquet(fragment: Any) -> bool:
    """Return whether a part of a dataset is a Parquet file."""
    return isinstance(fragment, arrow(".dataset").ParquetFileFragment)


def name_of(fragment: Any, i: int) -> str:
    """Return what an error calls a part of a dataset: its file, or its number."""
    return str(getattr(fragment, "path", "")) or f"part {i}"


def partition_of(fragment: Any) -> Mapping[str, Any]:
    """Return what the folders of a file are named for."""
    keys: Mapping[str, Any] = arrow(".dataset").get_partition_keys(fragment.partition_expression)
    return keys


def opened(fragment: Any) -> Any:
    """Return a Parquet file, to be read through a small buffer: a whole row group may not fit into memory."""
    return arrow(".parquet").ParquetFile(fragment.open(), buffer_size=BUFFER, pre_buffer=False)


def groups_of(fragment: Any, file: Any, whole: bool) -> list[int]:
    """Return the row groups of a file to read."""
    return list(range(file.metadata.num_row_groups)) if whole else [group.id for group in fragment.row_groups]


@contextmanager
def told(name: str) -> Iterator[None]:
    """Name the file where reading it fails."""
    try:
        yield
    except (OSError, ValueError, arrow().ArrowException) as error:
        raise ValueError(f"cannot read {name}, is it broken? ({error})") from error
