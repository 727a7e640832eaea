"""What the tracer keeps: breakpoints, steps, and the state of each thread. Loaded by path inside the debuggee."""


class Breakpoint:
    """`file` is a real path; `names` are the names of the code objects that have the line."""

    def __init__(self, number: int, file: str, line: int, names: frozenset[str], condition: str | None) -> None:
        self.number, self.file, self.line, self.names = number, file, line, names
        self.condition = compile(condition, "<condition>", "eval") if condition else None
        self.hits = 0
        self.entered = 0


class Step:
    """Where a thread stops next. kind: `over` (the next line of one of `frames`), `out` (when the first of them
    returns), `into` (also lines of what they call), `any` (the next traced line), `entry` (where the program begins).
    """

    def __init__(self, kind: str, *targets) -> None:
        self.kind, self.frames, self.reason = kind, targets, "interrupt" if kind == "any" else "step"


class ThreadState:
    """What the tracer knows of one thread; `on_call` (or, stepping into, `on_call_into`) and `on_event` trace it."""

    def __init__(self, ident: int, number: int) -> None:
        self.ident, self.number = ident, number
        self.step: Step | None = None
        self.note = ""
        self.quiet = False
        """Whether an evaluation runs: its code neither stops nor counts."""
        self.cancelled = False
        self.last: tuple = (None, 0, 0)
        """Frame, line and instruction of the last line event that was looked at."""
        self.moved = False
        """Whether another line of a traced function has run since."""
        self.raising: object = None
        self.on_call = self.on_call_into = self.on_event = None
