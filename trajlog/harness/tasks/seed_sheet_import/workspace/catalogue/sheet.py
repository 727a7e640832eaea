"""The spreadsheet export of the growers."""

import csv

from catalogue.seeds import MONTHS, Catalogue, Seed

COLUMNS = ("code", "name", "price", "sow", "description")


class SheetError(ValueError):
    """A row that is no seed."""

    def __init__(self, row, reason):
        super().__init__(f"row {row}: {reason}")
        self.row = row


def parse_price(text):
    """`2.50` or `2,5` or `3` in cents."""
    whole, _, part = text.replace(",", ".").partition(".")
    if not whole.isdigit() or (part and not part.isdigit()) or len(part) > 2:
        raise ValueError(f"price {text!r}")
    return 100 * int(whole) + int(part.ljust(2, "0"))


def parse_sow(text):
    """`mar-may` or `mar` as two numbers of months."""
    first, dash, last = text.strip().lower().partition("-")
    try:
        return MONTHS.index(first), MONTHS.index(last if dash else first)
    except ValueError:
        raise ValueError(f"sowing time {text!r}") from None


def rows_of(text):
    """Rows of cells, without the empty ones."""
    return (row for row in csv.reader(text.splitlines()) if row)


def make_seed(cells, order):
    if len(cells) < len(order) - 1:
        raise ValueError(f"{len(cells)} cells")
    row = dict(zip(order, cells, strict=False))
    code = row["code"].strip()
    if not code:
        raise ValueError("no code")
    first, last = parse_sow(row["sow"])
    return Seed(code, row["name"], parse_price(row["price"].strip()), first, last, row.get("description", ""))


def read_catalogue(text):
    """The columns may stand in any order; the header names them."""
    rows = rows_of(text)
    header = next(rows, None)
    if header is None:
        raise SheetError(0, "no header")
    order = [name.strip().lower() for name in header]
    missing = [name for name in COLUMNS if name not in order]
    if missing:
        raise SheetError(0, f"no column {missing[0]}")
    seeds = []
    for number, cells in enumerate(rows, start=1):
        try:
            seeds.append(make_seed(cells, order))
        except ValueError as error:
            raise SheetError(number, str(error)) from None
    return Catalogue(seeds)
