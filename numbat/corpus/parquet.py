"""Export a store as Parquet: folders of files that DuckDB, dask and Spark read directly.

    DIR/properties.parquet
    DIR/runs.parquet
    DIR/sentences/run=1/part-00000.parquet
    DIR/constituents/run=1/part-00000.parquet
    DIR/violations/run=1/part-00000.parquet
    DIR/instances/run=1/part-00000.parquet

The columns are those of the store's views; the number of the run is in the name of a folder. A file has the rows of a
limited number of sentences, so that memory does not grow with the store. Until all files are whole, they are in the
folder DIR/.part.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from numbat.corpus.reading import StoredRun, StoreReader
from numbat.errors import UnwritableError, UsageError, require_pyarrow

PART: Final = ".part"
"""Folder of files that are being written."""
SENTENCES: Final = 50_000
"""Number of sentences per file."""
ROWS: Final = 50_000
"""Number of rows that are in memory at once."""
TEXT, NUMBER, REAL, TRUTH = "string", "int64", "float64", "bool"
COLUMNS: Final = {
    "sentences": {
        "sentence": NUMBER, "place": TEXT, "text": TEXT, "length": NUMBER, "cost": REAL, "full": TRUTH,
        "stopped_by": TEXT, "metadata": TEXT,
    },
    "constituents": {
        "sentence": NUMBER, "constituent": NUMBER, "category": TEXT, "start": NUMBER, "end": NUMBER, "mother": NUMBER,
        "features": TEXT, "word": TEXT, "below": NUMBER,
    },
    "violations": {"sentence": NUMBER, "constituent": NUMBER, "property": NUMBER, "daughters": TEXT},
    "instances": {
        "sentence": NUMBER, "constituent": NUMBER, "property": NUMBER, "daughters": TEXT, "satisfied": TRUTH,
    },
    "properties": {
        "property": NUMBER, "grammar": TEXT, "number": NUMBER, "construction": TEXT, "relation": TEXT, "text": TEXT,
        "weight": REAL, "cost": REAL, "hard": TRUTH, "place": TEXT,
    },
    "runs": {"run": NUMBER, "grammar": TEXT, "digest": TEXT, "records": NUMBER, "finished": TRUTH, "record": TEXT},
}  # fmt: skip
OF_SENTENCES: Final = ("sentences", "constituents", "violations", "instances")


def export(store: StoreReader, folder: str, advance: Callable[[], object] = tuple) -> int:
    """Write all runs of a store as Parquet into a new or empty folder; return the number of rows written.

    Nothing is left of an export that is interrupted; if it is killed, the next one deletes what is left. Raises
    MissingExtraError without pyarrow, UsageError for a folder with files, and UnwritableError.
    """
    require_pyarrow("Parquet")
    is_new = not os.path.isdir(folder)
    if not is_new and set(os.listdir(folder)) - {PART}:
        raise UsageError(f"{folder}: this folder is not empty\n  name a new one")
    part, written, is_whole = Path(folder, PART), 0, False
    try:
        shutil.rmtree(part, ignore_errors=True)
        for name in ("properties", "runs"):
            written += _write(store, name, part / f"{name}.parquet", f"SELECT {_listed(name)} FROM {name}")
        for run in store.runs():
            written += _export_run(store, run, part, advance)
        for path in sorted(part.iterdir()):
            path.rename(Path(folder, path.name))
        is_whole = True
    except OSError as error:
        raise UnwritableError(folder, error.strerror) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
        if is_new and not is_whole:
            with suppress(OSError):
                os.rmdir(folder)
    return written


def _export_run(store: StoreReader, run: StoredRun, folder: Path, advance: Callable[[], object]) -> int:
    written = 0
    last = run.last or store.last_of(run)
    for part, first in enumerate(range(run.first, last + 1, SENTENCES)):
        end = min(last, first + SENTENCES - 1)
        for name in OF_SENTENCES:
            path = Path(folder, name, f"run={run.number}", f"part-{part:05}.parquet")
            where = f"sentence BETWEEN {first} AND {end}"
            if name == "constituents":
                where += " AND category IN (SELECT name FROM category)"
            written += _write(store, name, path, f"SELECT {_listed(name)} FROM {name} WHERE {where}")
        for _ in range(first, end + 1):
            advance()
    return written


def _listed(name: str) -> str:
    return ", ".join(f'"{column}"' for column in COLUMNS[name])


def _write(store: StoreReader, name: str, path: Path, sql: str) -> int:
    """Write the rows of an SQL statement over the view `name` to a file; return their number."""
    import pyarrow
    from pyarrow import parquet

    path.parent.mkdir(parents=True, exist_ok=True)
    kinds = {TEXT: pyarrow.string(), NUMBER: pyarrow.int64(), REAL: pyarrow.float64(), TRUTH: pyarrow.bool_()}
    schema = pyarrow.schema([(column, kinds[kind]) for column, kind in COLUMNS[name].items()])
    written = 0
    with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
        for rows in _in_blocks(store.rows(sql)):
            columns = list(zip(*rows, strict=True))
            arrays = [
                pyarrow.array([_truth(cell) for cell in cells] if field.type == pyarrow.bool_() else cells, field.type)
                for cells, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
            written += len(rows)
    return written


def _truth(cell: Any) -> bool | None:
    return None if cell is None else bool(cell)


def _in_blocks(rows: Iterator[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    block: list[tuple[Any, ...]] = []
    for row in rows:
        block.append(row)
        if len(block) == ROWS:
            yield block
            block = []
    if block:
        yield block
