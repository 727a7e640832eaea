"""Formula text into nodes: numbers, cells, + - * and SUM(range)."""

import re

from sheets.errors import FormulaError
from sheets.nodes import Binary, CellRef, Number, Sum
from sheets.refs import Ref

TOKEN = re.compile(r"\s*(SUM\([^)]*\)|\$?[A-Z]\$?[0-9]+|[0-9]+(?:\.[0-9]+)?|[-+*])")


def tokens(text):
    position = 0
    while position < len(text.rstrip()):
        match = TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"cannot read {text[position:]!r}")
        position = match.end()
        yield match.group(1)


def atom(token):
    if token.startswith("SUM("):
        first, _, last = token[4:-1].partition(":")
        return Sum(CellRef(Ref.parse(first.strip())), CellRef(Ref.parse(last.strip())))
    if token[0].isdigit():
        return Number(float(token))
    return CellRef(Ref.parse(token))


def parse(text):
    parts = list(tokens(text))
    if len(parts) % 2 == 0:
        raise FormulaError(f"incomplete formula {text!r}")
    terms, signs = [atom(parts[0])], []
    for sign, token in zip(parts[1::2], parts[2::2], strict=True):
        if sign == "*":
            terms[-1] = Binary("*", terms[-1], atom(token))
        elif sign in "+-":
            signs.append(sign)
            terms.append(atom(token))
        else:
            raise FormulaError(f"operator expected, found {sign!r}")
    node = terms[0]
    for sign, term in zip(signs, terms[1:], strict=True):
        node = Binary(sign, node, term)
    return node
