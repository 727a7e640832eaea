"""Parts lists.

    part screw "M4 x 20" @ 0.12;
    assembly frame { 4 x screw; 1'000 x rivet; }
"""

from parts.errors import SyntaxProblem
from parts.lexer import tokens
from parts.model import Assembly, Part, PartsList


class _Parser:
    def __init__(self, source):
        self._tokens = list(tokens(source))
        self._place = 0
        self.result = PartsList()

    @property
    def _next(self):
        return self._tokens[self._place]

    def _take(self, kind, value=None, what=None):
        token = self._next
        if token.kind != kind or (value is not None and token.value != value):
            shown = token.value if token.kind != "end" else "the end"
            raise SyntaxProblem(f"{what or value or kind} expected, not {shown}", token.line)
        self._place += 1
        return token.value

    def _skip(self, value):
        if self._next.kind == "sign" and self._next.value == value:
            self._place += 1
            return True
        return False

    def parse(self):
        while self._next.kind != "end":
            line = self._next.line
            word = self._take("word", what="part or assembly")
            if word not in ("part", "assembly"):
                raise SyntaxProblem(f"part or assembly expected, not {word}", line)
            name = self._take("word", what="a name")
            if self.result.knows(name):
                raise SyntaxProblem(f"{name} is there already", line)
            if word == "part":
                self.result.parts[name] = self._part(name)
            else:
                self.result.assemblies[name] = self._assembly(name)
        return self.result

    def _part(self, name):
        part = Part(name)
        if self._next.kind == "text":
            part.description = self._take("text")
        if self._skip("@"):
            part.price = float(self._take("number", what="a price"))
        self._take("sign", ";")
        return part

    def _assembly(self, name):
        assembly = Assembly(name)
        self._take("sign", "{")
        while not self._skip("}"):
            number = self._take("number", what="a number")
            if not self._skip("x"):
                self._take("sign", "*")
            assembly.uses.append((number, self._take("word", what="a name")))
            self._take("sign", ";")
        return assembly


def parse(source):
    return _Parser(source).parse()
