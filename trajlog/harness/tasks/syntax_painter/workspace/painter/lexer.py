"""Takes lines apart."""

import re

from painter.words import kind_of

CODE = re.compile(
    r"""
    (?P<space>\s+)
    | (?P<comment>\(\*)
    | (?P<string>")
    | (?P<number>\d+(?:\.\d+)?)
    | (?P<word>[A-Za-z_]\w*)
    | (?P<brace>[{}])
    | (?P<sign>.)
    """,
    re.VERBOSE,
)
IN_COMMENT = re.compile(r"\(\*|\*\)")
IN_STRING = re.compile(r'\\.|\$\{|"')


class Line:
    """Collects the tokens of a line; neighbours of one kind become one token."""

    def __init__(self):
        self.tokens = []

    def add(self, kind, text):
        if not text:
            return
        if self.tokens and self.tokens[-1][0] == kind and kind in ("comment", "string", "space"):
            self.tokens[-1] = (kind, self.tokens[-1][1] + text)
        else:
            self.tokens.append((kind, text))


def lex(text, state):
    """The tokens of a line that begins in `state`, and the state at its end."""
    line = Line()
    at = 0
    while at < len(text):
        if state.comments:
            at, state = _comment(line, text, at, state)
        elif state.in_string:
            at, state = _string(line, text, at, state)
        else:
            at, state = _code(line, text, at, state)
    return line.tokens, state


def _comment(line, text, at, state):
    found = IN_COMMENT.search(text, at)
    if not found:
        line.add("comment", text[at:])
        return len(text), state
    line.add("comment", text[at : found.end()])
    return found.end(), state.comment(1 if found[0] == "(*" else -1)


def _string(line, text, at, state):
    found = IN_STRING.search(text, at)
    if not found:
        line.add("string", text[at:])
        return len(text), state
    if found[0] == "${":
        line.add("string", text[at : found.start()])
        line.add("hole", found[0])
        return found.end(), state.open_hole()
    line.add("string", text[at : found.end()])
    return found.end(), state.string(False) if found[0] == '"' else state


def _code(line, text, at, state):
    found = CODE.match(text, at)
    kind, part = found.lastgroup, found[0]
    if kind == "comment":
        state = state.comment(1)
    elif kind == "string":
        state = state.string(True)
    elif kind == "word":
        kind = kind_of(part)
    elif kind == "brace":
        kind = "sign"
        if state.holes:
            state = state.brace(1 if part == "{" else -1)
            if state.in_string:
                kind = "hole"
    line.add(kind, part)
    return found.end(), state
