"""Rows as text: what JSON cannot hold is told, not broken."""

from __future__ import annotations

import contextlib
import csv
import io
import json

import duckdb
import pytest

from trajlog.analytics.query import run_sql
from trajlog.errors import ArchiveError

ODD = """
SELECT 'nan'::DOUBLE AS nan, '-inf'::FLOAT AS low, map {'a': 1.5} AS map, {'x': [1, NULL]} AS struct,
    timestamptz '2026-11-30 12:00:00.000001+00' AS at, date '2026-11-30' AS day, 12345678901234567890::HUGEINT AS huge,
    1.25::DECIMAL(5, 2) AS price, 'ab'::BLOB AS bytes, true AS yes, NULL AS nothing, 'ü\u2028"' AS text, 1 AS a, 2 AS a
"""


def ask(sql: str, fmt: str, width: int | None = None) -> str:
    with contextlib.closing(duckdb.connect()) as con:
        con.execute("SET TimeZone = 'UTC'")
        return run_sql(con, sql, fmt, width)


def test_json_is_valid_json_with_every_value_in_it() -> None:
    (row,) = json.loads(ask(ODD, "json"), parse_constant=lambda name: 1 / 0)
    assert row == {
        "nan": "NaN",
        "low": "-Infinity",
        "map": {"a": 1.5},
        "struct": {"x": [1, None]},
        "at": "2026-11-30T12:00:00.000001Z",
        "day": "2026-11-30",
        "huge": 12345678901234567890,
        "price": 1.25,
        "bytes": "YWI=",
        "yes": True,
        "nothing": None,
        "text": 'ü\u2028"',
        "a": 1,
        "a_1": 2,
    }


def test_no_rows_are_an_empty_array_and_a_header() -> None:
    assert json.loads(ask("SELECT 1 AS a WHERE false", "json")) == []
    assert ask("SELECT 1 AS a WHERE false", "csv") == "a\n"
    assert "0 rows" in ask("SELECT 1 AS a WHERE false", "table")


def test_csv_reads_back_with_nested_values_as_json() -> None:
    header, row = csv.reader(io.StringIO(ask(ODD, "csv")))
    cells = dict(zip(header, row, strict=True))
    assert json.loads(cells["struct"]) == {"x": [1, None]}
    assert (cells["nothing"], cells["yes"], cells["text"], cells["nan"]) == ("", "true", 'ü\u2028"', "NaN")


def test_a_table_shows_names_rows_and_count() -> None:
    text = ask("SELECT 'solved' AS outcome, 3 AS n, 1 / 3 AS share, '[red]x[/]' AS raw, NULL AS none", "table", 80)
    assert "│ solved  │ 3 │ 0.333333 │ [red]x[/] │ null │" in text
    assert text.endswith("1 row\n")


def test_long_cells_are_cut_in_a_table_and_say_so() -> None:
    assert "(2000 characters)" in ask("SELECT repeat('x', 2000) AS text", "table", 100).replace("\n", "")
    assert len(json.loads(ask("SELECT repeat('x', 2000) AS text", "json"))[0]["text"]) == 2000


def test_csv_quotes_carriage_returns_and_an_empty_query_is_refused() -> None:
    assert ask("SELECT 'a' || chr(13) || 'b' AS x, 2 AS y", "csv") == 'x,y\n"a\rb",2\n'
    for empty in ("", ";", "-- nothing"):
        with pytest.raises(ArchiveError, match="the query is empty"):
            ask(empty, "csv")
