"""Rows of a query as text: a table, JSON or CSV.

In JSON and CSV a value that JSON cannot hold becomes text as protobuf's JSON does: NaN and infinities "NaN",
"Infinity", "-Infinity"; timestamps RFC 3339 in UTC; bytes base64. Lists, structs and maps stay lists and objects.
"""

import base64
import csv
import io
import json
import math
import shutil
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from decimal import Decimal
from typing import Any, Literal

from rich.console import Console
from rich.table import Table
from rich.text import Text

MAX_CELL = 500
"""Characters of a cell that a table shows; the other formats show all."""


def render(
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    fmt: Literal["table", "json", "csv"],
    width: int | None = None,
) -> str:
    """Text of the rows. `width`: columns of a table's screen; None = that of the terminal, else 160."""
    names = _unique(columns)
    match fmt:
        case "json":
            objects = [dict(zip(names, map(plain, row), strict=True)) for row in rows]
            lines = ",\n ".join(json.dumps(item, ensure_ascii=False, allow_nan=False) for item in objects)
            return f"[{lines}]"
        case "csv":
            return "".join([_csv_line(names), *(_csv_line([_csv_cell(value) for value in row]) for row in rows)])
        case "table":
            return _table(names, rows, width or shutil.get_terminal_size((160, 50)).columns)


def plain(value: Any) -> Any:
    """A value of DuckDB as JSON has it."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if math.isfinite(value):
                return value
            return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case datetime():
            moment = value.astimezone(UTC) if value.tzinfo else value
            return moment.isoformat().replace("+00:00", "Z")
        case date() | clock_time():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case bytes() | bytearray() | memoryview():
            return base64.b64encode(value).decode()
        case dict():
            return {str(key): plain(item) for key, item in value.items()}
        case list() | tuple():
            return [plain(item) for item in value]
        case _:
            return str(value)


def _unique(columns: Sequence[str]) -> list[str]:
    """Column names, told apart where a query gives two the same one: a, a_1."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names


def _csv_line(cells: Sequence[Any]) -> str:
    """One line; a cell with a carriage return is quoted too (the csv module quotes what its line end consists of)."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().removesuffix("\r\n") + "\n"


def _csv_cell(value: Any) -> Any:
    value = plain(value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, (dict, list, bool)) else value


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]], width: int) -> str:
    table = Table()
    for index, name in enumerate(names):
        numeric = any(isinstance(row[index], (int, float, Decimal)) for row in rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(value)) for value in row))
    text = io.StringIO()
    Console(file=text, width=width, color_system=None).print(table)
    num = len(rows)
    return f"{text.getvalue()}{num} row{'' if num == 1 else 's'}\n"


def _cell(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and math.isfinite(value):
        return f"{value:.6g}"
    if isinstance(value, (dict, list)):
        shown = json.dumps(plain(value), ensure_ascii=False)
    elif isinstance(value, datetime):
        shown = f"{plain(value)}".replace("T", " ")
    else:
        shown = str(plain(value))
    return shown if len(shown) <= MAX_CELL else f"{shown[:MAX_CELL]}... ({len(shown)} characters)"
