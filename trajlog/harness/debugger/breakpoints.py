"""Breakpoints outside the program: they outlive it, and find their lines again by text after an edit."""

from __future__ import annotations

import msgspec

from trajlog.harness.debugger.lines import source_lines


class Breakpoint(msgspec.Struct, frozen=True, kw_only=True):
    number: int
    file: str
    line: int
    condition: str | None
    text: str
    """The line without the white space around it."""
    function: str
    """Qualified name of the function, class or module it is in."""

    def describe(self) -> str:
        when = f" if {self.condition}" if self.condition else ""
        return f"breakpoint {self.number} at {self.file}:{self.line}{when}: {self.text}"


def find_again(source: str, wanted: Breakpoint) -> list[int]:
    """Lines with the breakpoint's text, nearest to its old line first; which are in its function is for the debuggee
    to say.

    >>> find_again("a = 1\\nb = 2\\na = 1\\n", Breakpoint(number=1, file="f", line=3, condition=None, text="a = 1",
    ...     function="<module>"))
    [3, 1]
    """
    lines = [number for number, line in enumerate(source_lines(source), 1) if line.strip()[:200] == wanted.text]
    return sorted(lines, key=lambda line: (abs(line - wanted.line), line))


def never_hit(wanted: Breakpoint, entered: int) -> str:
    """What is said at the program's end of a breakpoint that was never hit."""
    name = "module" if wanted.function == "<module>" else f"function {wanted.function.rpartition('<locals>.')[2]}"
    times = f"{entered} time{'' if entered == 1 else 's'}"
    when = f" if {wanted.condition}" if wanted.condition else ""
    place = f"breakpoint {wanted.number} at {wanted.file}:{wanted.line}{when}"
    return f"{place} was never hit; its {name} was entered {times}"
