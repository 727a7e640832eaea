"""Runs worksheets.

    let factor = 1.8
    batch B7
      let blank = 0.02
      sample S1
        let raw = 0.52
        result glucose = (raw - blank) * factor
        factor = 2.1
      end
      repeat 3 sample T
        result empty = blank * factor
      end
    end

`repeat` runs its block as many times, with samples named T.1, T.2 and so on. What stands behind a `#` is a remark.
"""

from dataclasses import dataclass

from lab.errors import WorksheetError
from lab.expressions import ExpressionError, evaluate
from lab.scopes import Scopes


@dataclass(frozen=True)
class Result:
    batch: str
    sample: str
    name: str
    value: float


def split_lines(text):
    """Pairs of line number and words."""
    for number, row in enumerate(text.splitlines(), start=1):
        words = row.partition("#")[0].split()
        if words:
            yield number, words


class Worksheet:
    def __init__(self, lab_values=()):
        self._scopes = Scopes(lab_values)
        self._place = []
        self.results = []

    def run(self, text):
        self._run(list(split_lines(text)))
        return self.results

    def _run(self, lines):
        position = 0
        while position < len(lines):
            number, words = lines[position]
            position += 1
            if words[0] in ("batch", "sample", "repeat"):
                end = self._end(lines, position)
                self._block(number, words, lines[position:end])
                position = end + 1
            else:
                try:
                    self._statement(words)
                except KeyError as error:
                    raise WorksheetError(number, f"{error.args[0]} is not defined") from None
                except ExpressionError as error:
                    raise WorksheetError(number, str(error)) from None

    def _end(self, lines, position):
        """The position of the `end` that belongs to the block that begins at `position`."""
        depth = 1
        for index in range(position, len(lines)):
            word = lines[index][1][0]
            depth += {"batch": 1, "sample": 1, "repeat": 1, "end": -1}.get(word, 0)
            if depth == 0:
                return index
        raise WorksheetError(lines[position - 1][0], "no end")

    def _block(self, number, words, lines):
        match words:
            case ["batch" | "sample", name]:
                self._inside(name, lines)
            case ["repeat", times, "sample", name] if times.isdigit():
                for turn in range(1, int(times) + 1):
                    self._inside(f"{name}.{turn}", lines)
            case _:
                raise WorksheetError(number, f"cannot read {' '.join(words)!r}")

    def _inside(self, name, lines):
        self._place.append(name)
        self._scopes.enter()
        self._run(lines)
        self._scopes.leave()
        self._place.pop()

    def _statement(self, words):
        match words:
            case ["let", name, "=", *rest]:
                self._scopes.define(name, self._value(rest))
            case ["result", name, "=", *rest]:
                batch, sample = (["", ""] + self._place)[-2:]
                self.results.append(Result(batch, sample, name, round(self._value(rest), 4)))
            case ["drop", name]:
                self._scopes.drop(name)
            case [name, "=", *rest]:
                self._scopes.change(name, self._value(rest))
            case _:
                raise ExpressionError(f"cannot read {' '.join(words)!r}")

    def _value(self, words):
        return evaluate(" ".join(words), self._scopes.values)
