"""Tokens into nodes."""

from notesearch.lexer import QueryError, tokenize
from notesearch.nodes import All, Any, Not, Phrase, Term


class Parser:
    def __init__(self, query):
        self._tokens = tokenize(query)
        self._next = 0

    def parse(self):
        node = self._either()
        self._expect("end")
        return node

    @property
    def _kind(self):
        return self._tokens[self._next].kind

    def _take(self):
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _expect(self, kind):
        token = self._take()
        if token.kind != kind:
            raise QueryError(f"unexpected {token.text or 'end'!r}", token.position)
        return token

    def _either(self):
        nodes = [self._both()]
        while self._kind == "OR":
            self._take()
            nodes.append(self._both())
        return nodes[0] if len(nodes) == 1 else Any(tuple(nodes))

    def _both(self):
        nodes = [self._negated()]
        while self._kind not in ("OR", "close", "end"):
            if self._kind == "AND":
                self._take()
            nodes.append(self._negated())
        return nodes[0] if len(nodes) == 1 else All(tuple(nodes))

    def _negated(self):
        if self._kind == "NOT":
            minus = self._take().text == "-"
            return Not(self._single() if minus else self._both())
        return self._single()

    def _single(self):
        if self._kind == "open":
            self._take()
            node = self._either()
            self._expect("close")
            return node
        return self._leaf()

    def _leaf(self):
        field = self._take().text if self._kind == "field" else ""
        if self._kind == "phrase":
            return Phrase(self._take().text, field)
        return Term(self._expect("word").text, field)


def parse(query):
    return Parser(query).parse()
