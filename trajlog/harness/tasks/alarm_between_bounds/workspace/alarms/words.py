"""Tokens of rules."""

import re
from dataclasses import dataclass

WORDS = {"and", "or", "not", "between", "for", "is", "true", "false"}
UNITS = {"": 1, "%": 1, "C": 1, "s": 1, "m": 60, "h": 3600}
PATTERN = re.compile(r"""
    (?P<space>\s+)
  | (?P<number>\d+(?:\.\d+)?(?P<unit>%|[A-Za-z]+)?)
  | (?P<word>[^\W\d]\w*(?:\.\w+)*)
  | (?P<sign><=|>=|<>|[-+*<>=()])
""", re.VERBOSE)


class RuleError(ValueError):
    """A rule that is not understood."""


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    value: float = 0


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = PATTERN.match(text, at)
        if match is None:
            raise RuleError(f"unexpected {text[at]!r}")
        at = match.end()
        if match["space"]:
            continue
        if match["number"]:
            found.append(number(match["number"], match["unit"] or ""))
        elif match["word"]:
            word = match["word"]
            keyword = word.lower()
            found.append(Token(keyword, keyword) if keyword in WORDS else Token("name", word))
        else:
            found.append(Token(match["sign"], match["sign"]))
    found.append(Token("end", "the end"))
    return found


def number(text, unit):
    if unit not in UNITS:
        raise RuleError(f"unknown unit {unit!r}")
    plain = text[: len(text) - len(unit)]
    return Token("number", text, float(plain) * UNITS[unit])
