"""Reads result texts. A faulty match is reported and skipped up to its end."""

from court.lexer import tokens
from court.matches import Draft, ResultError


class Reader:
    """`matches` and `problems` of a text."""

    def __init__(self, text):
        self._tokens = list(tokens(text))
        self._place = 0
        self._round = ""
        self._draft = Draft()
        self.matches = []
        self.problems = []

    @property
    def _next(self):
        return self._tokens[self._place]

    def _take(self):
        token = self._next
        if self._place < len(self._tokens) - 1:
            self._place += 1
        return token

    def _expect(self, kind, what):
        token = self._next
        if token.kind != kind:
            raise ResultError(f"{what} expected" + (f", not {token.text}" if token.text.strip() else ""))
        return self._take()

    def read(self):
        while self._place < len(self._tokens) - 1:
            if self._next.kind == "end":
                self._take()
                continue
            try:
                self._match()
            except ResultError as problem:
                self.problems.append(f"{self._next.line}:{self._next.column} {problem}")
                self._skip()
        return self

    def _skip(self):
        """Go to the end of the faulty match."""
        while self._next.kind != "end":
            if self._next.kind == "round":
                self._round = self._next.text[:-1]
            self._take()

    def _match(self):
        self._draft = Draft()
        if self._next.kind == "round":
            self._round = self._take().text[:-1]
        self._draft.winner = self._player()
        self._expect("beat", "d.")
        self._draft.loser = self._player()
        while self._next.kind != "end":
            self._score()
        self.matches.append(self._draft.finish(self._round))

    def _player(self):
        seed = int(self._take().text[1:-1]) if self._next.kind == "seed" else None
        name = self._expect("name", "a name").text
        while self._next.kind == "name":
            name += " " + self._take().text
        if seed is not None:
            self._draft.seeds.append((name, seed))
        return name

    def _score(self):
        token = self._next
        if token.kind == "set":
            self._draft.add_set(*map(int, token.text.split("-")))
        elif token.kind == "tiebreak":
            self._draft.add_tiebreak(int(token.text[1:-1]))
        elif token.kind == "ending":
            self._draft.add_ending(token.text)
        else:
            raise ResultError(f"a set expected, not {token.text}")
        self._take()


def read_results(text):
    reader = Reader(text).read()
    return reader.matches, reader.problems
