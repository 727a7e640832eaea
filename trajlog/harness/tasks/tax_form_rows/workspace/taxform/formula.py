"""Formulas: parsed to functions of the values of a form."""

from fractions import Fraction

from taxform.errors import FormError
from taxform.names import is_name, span
from taxform.scan import scan
from taxform.values import parse_amount


class Formula:
    """`needs` are the names of the lines it uses; `asks` tells whether it begins with an input."""

    def __init__(self, text, names):
        self._tokens = scan(text)
        self._at = 0
        self._names = names
        self.needs = set()
        self.asks = False
        self._value = self._whole()

    def compute(self, values, entered=0):
        return self._value(values, entered)

    @property
    def _now(self):
        return self._tokens[self._at]

    def _take(self, *texts):
        if self._now.text in texts and self._now.kind in ("word", "mark", "range"):
            self._at += 1
            return self._tokens[self._at - 1].text
        return None

    def _expect(self, text):
        if self._take(text) is None:
            raise FormError(f"{text!r} expected, not {self._now.text or 'the end'!r}")

    def _whole(self):
        value = self._sum()
        while self._take(",", ";"):
            if self._now.kind == "end":
                break
            value = self._limit(value)
        if self._now.kind != "end":
            raise FormError(f"unexpected {self._now.text!r}")
        return value

    def _limit(self, inner):
        """`at most X` or `at least X`"""
        self._expect("at")
        word = self._take("most", "least")
        if word is None:
            raise FormError(f"most or least expected, not {self._now.text!r}")
        bound = self._sum()
        choose = min if word == "most" else max
        return lambda values, entered: choose(inner(values, entered), bound(values, entered))

    def _sum(self):
        value = self._product()
        while (sign := self._take("+", "-")) is not None:
            value = self._joined(value, sign, self._product())
        return value

    def _joined(self, left, sign, right):
        factor = 1 if sign == "+" else -1
        return lambda values, entered: left(values, entered) + factor * right(values, entered)

    def _product(self):
        if self._now.kind == "percent":
            rate = Fraction(self._now.text.rstrip("% ")) / 100
            self._at += 1
            self._expect("of")
            part = self._product()
            return lambda values, entered: rate * part(values, entered)
        return self._single()

    def _single(self):
        token = self._now
        if token.kind == "line":
            return self._reference()
        if token.kind in ("money", "amount"):
            self._at += 1
            return self._constant(parse_amount(token.text.lstrip("€ ")))
        if self._take("-"):
            inner = self._single()
            return lambda values, entered: -inner(values, entered)
        if self._take("("):
            inner = self._sum()
            self._expect(")")
            return inner
        if self._take("input"):
            self.asks = True
            return lambda values, entered: entered
        word = self._take("sum", "max", "min")
        if word is None:
            raise FormError(f"unexpected {token.text or 'the end'!r}")
        return self._function({"sum": sum, "max": max, "min": min}[word])

    def _constant(self, cents):
        return lambda values, entered: cents

    def _reference(self):
        name = self._now.text
        self._at += 1
        if name in self._names:
            self.needs.add(name)
            return lambda values, entered: values[name]
        if not name.isdigit():
            raise FormError(f"no line {name}")
        return self._constant(int(name) * 100)

    def _function(self, function):
        """Arguments are sums or ranges of lines; a separator at the end is allowed."""
        self._expect("(")
        parts = []
        while not self._take(")"):
            parts.append(self._range() or self._one())
            if not self._take(",", ";") and self._now.text != ")":
                raise FormError(f"')' expected, not {self._now.text or 'the end'!r}")
        if not parts:
            raise FormError("nothing in brackets")
        return lambda values, entered: function([x for part in parts for x in part(values, entered)])

    def _one(self):
        inner = self._sum()
        return lambda values, entered: [inner(values, entered)]

    def _range(self):
        if self._now.kind != "line" or self._tokens[self._at + 1].kind != "range":
            return None
        first, last = self._now.text, self._tokens[self._at + 2].text
        if not is_name(last):
            raise FormError(f"no line {last or 'at the end'!r}")
        self._at += 3
        names = span(self._names, first, last)
        self.needs.update(names)
        return lambda values, entered: [values[name] for name in names]
