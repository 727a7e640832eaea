"""Forms: lines with a name, a label and a formula."""

import re
from dataclasses import dataclass

from taxform.errors import FormError
from taxform.formula import Formula
from taxform.names import normal, order
from taxform.values import parse_amount, rounded, show

LINE = re.compile(r"\s*(\d+[A-Za-z]?)\s+(.*?)\s*=\s*(.*?)\s*$")


@dataclass(frozen=True)
class Row:
    name: str
    label: str
    formula: Formula


class Form:
    def __init__(self, rows):
        self.rows = {row.name: row for row in rows}

    def names(self):
        return sorted(self.rows, key=order)

    def inputs(self):
        return [name for name in self.names() if self.rows[name].formula.asks]

    def _order(self):
        """Names so that a line comes after those it needs."""
        done, result = set(), []

        def visit(name, path):
            if name in path:
                raise FormError(f"{' -> '.join([*path, name])} goes in a circle", path[0])
            if name not in done:
                for needed in sorted(self.rows[name].formula.needs, key=order):
                    visit(needed, [*path, name])
                done.add(name)
                result.append(name)

        for name in self.names():
            visit(name, [])
        return result

    def fill(self, entries):
        """Values in cents for entries such as `{"12a": "1,200.50"}`."""
        entered = {normal(name): parse_amount(text) for name, text in entries.items()}
        for name in entered:
            if name not in self.inputs():
                raise FormError("not to be filled in", name)
        values = {}
        for name in self._order():
            values[name] = rounded(self.rows[name].formula.compute(values, entered.get(name, 0)))
        return values

    def text(self, entries):
        values = self.fill(entries)
        return "\n".join(f"{name:>4}  {self.rows[name].label:<24}{show(values[name]):>14}" for name in self.names())


def parse_form(text):
    found = []
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        match = LINE.match(line)
        if match is None:
            raise FormError(f"not a line: {line.strip()!r}")
        name = normal(match[1])
        if any(name == other for other, _, _ in found):
            raise FormError("given twice", name)
        found.append((name, match[2], match[3]))
    names = {name for name, _, _ in found}
    rows = []
    for name, label, formula in found:
        try:
            rows.append(Row(name, label, Formula(formula, names)))
        except FormError as error:
            raise FormError(str(error), name) from None
    return Form(rows)
