"""What the lexer has to know at the start of a line."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class State:
    """`comments` is how deep comments are nested; `holes` has the open braces of each open hole, outermost first."""

    comments: int = 0
    in_string: bool = False
    holes: tuple = ()

    @property
    def mode(self):
        if self.comments:
            return "comment"
        if self.in_string:
            return "string"
        return "hole" if self.holes else "code"

    def comment(self, step):
        return replace(self, comments=self.comments + step)

    def string(self, is_open):
        return replace(self, in_string=is_open)

    def open_hole(self):
        return replace(self, in_string=False, holes=(*self.holes, 0))

    def brace(self, step):
        """A brace in a hole; the one too many closes the hole."""
        *outer, depth = self.holes
        if depth + step < 0:
            return replace(self, in_string=True, holes=tuple(outer))
        return replace(self, holes=(*outer, depth + step))


START = State()
