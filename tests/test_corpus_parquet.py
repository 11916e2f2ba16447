"""A store as Parquet, read by DuckDB: the same rows as the views have."""

from __future__ import annotations

from pathlib import Path

import pytest

from numbat.corpus import Store
from numbat.corpus.parquet import COLUMNS, OF_SENTENCES, export
from numbat.errors import UsageError
from tests.corpora import sentences, write_store

pytest.importorskip("pyarrow", reason="the extra parquet is not installed")


def test_other_programs_read_what_the_views_have(tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    write_store(tmp_path / "x.db", sentences())
    write_store(tmp_path / "x.db", sentences()[:3])
    with Store(tmp_path / "x.db") as store:
        written = export(store, str(tmp_path / "tables"))
        total = 0
        for name, columns in COLUMNS.items():
            listed = ", ".join(f'"{column}"' for column in columns)
            files = (
                f"{tmp_path}/tables/{name}/*/*.parquet" if name in OF_SENTENCES else f"{tmp_path}/tables/{name}.parquet"
            )
            found = duckdb.sql(f"SELECT {listed} FROM read_parquet('{files}', hive_partitioning = true)").fetchall()
            expected = [tuple(row) for row in store.rows(f"SELECT {listed} FROM {name}")]
            assert sorted(map(repr, map(plain, found))) == sorted(map(repr, map(plain, expected)))
            total += len(found)
        assert written == total
        every = f"read_parquet('{tmp_path}/tables/sentences/*/*.parquet', hive_partitioning = true)"
        runs = duckdb.sql(f"SELECT run, count(*) FROM {every} GROUP BY run ORDER BY run").fetchall()
        assert runs == [(1, len(sentences())), (2, 3)]
        with pytest.raises(UsageError, match="this folder is not empty"):
            export(store, str(tmp_path / "tables"))


def test_nothing_is_left_of_an_export_that_is_interrupted_or_killed(tmp_path: Path) -> None:
    def interrupt() -> None:
        raise KeyboardInterrupt

    write_store(tmp_path / "x.db", sentences())
    (tmp_path / "empty").mkdir()
    killed = tmp_path / "killed" / ".part" / "sentences"
    killed.mkdir(parents=True)
    with Store(tmp_path / "x.db") as store:
        for name in ("new", "empty"):
            with pytest.raises(KeyboardInterrupt):
                export(store, str(tmp_path / name), interrupt)
        assert not (tmp_path / "new").exists()
        assert [*(tmp_path / "empty").iterdir()] == []
        for name in ("empty", "killed", "new"):
            export(store, str(tmp_path / name))
            found = sorted(path.name for path in (tmp_path / name).iterdir())
            assert found == sorted([*OF_SENTENCES, "properties.parquet", "runs.parquet"])


def plain(row: tuple[object, ...]) -> list[object]:
    """Without the difference of 1 and true."""
    return [int(cell) if isinstance(cell, bool) else cell for cell in row]
