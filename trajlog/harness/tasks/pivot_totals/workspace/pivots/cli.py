"""Pivots on the command line."""

import argparse

from pivots.pivot import Pivot
from pivots.shares import SharePivot
from pivots.table import Table, TableError


def parser():
    made = argparse.ArgumentParser(prog="pivots")
    made.add_argument("file")
    made.add_argument("rows")
    made.add_argument("columns")
    made.add_argument("value")
    made.add_argument("--shares", action="store_true")
    made.add_argument("--add", action="append", default=[], metavar="KEY=VALUE,...")
    return made


def main(argv):
    options = parser().parse_args(argv)
    table = Table.from_csv(options.file)
    pivot = (SharePivot if options.shares else Pivot)(table, options.rows, options.columns, options.value)
    display(pivot)
    for text in options.add:
        try:
            table.append(dict(part.split("=", 1) for part in text.split(",")))
        except TableError as error:
            print(f"error: {error}")
            return 2
        display(pivot)
    return 0


def display(pivot):
    for line in pivot.lines():
        print(" ".join(f"{text:>6}" for text in line).rstrip())
