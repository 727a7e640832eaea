"""A scripted policy that solves a task as a good debugger would, from the task's held-back solution.

It is a generator: it yields moves and is sent what the harness answered, so it reacts to the real program. The route:
reproduce, read the failing test, read the code, form a hypothesis, stop the program there and look, edit, test again,
done. Variants make demonstrations differ: a wrong first hypothesis (the task's trap, where it has one), an edit that
misses, a long route, none of the debugger. What it says of the program it has just been told by the harness; only
where to look and what to write comes from the solution.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Collection, Generator, Mapping, Sequence
from typing import Any

import msgspec

from trajlog.harness.authoring.sizes import reachable_files
from trajlog.harness.debugger.lines import check_line
from trajlog.harness.task import Task
from trajlog.producers.edits import Edit, edits

WHOLE_FILE_LINES = 160
"""Files up to this long are read whole, of longer ones a window around the place."""


class Move(msgspec.Struct, frozen=True):
    """One turn: what is thought aloud, and one call."""

    thought: str
    name: str
    arguments: dict[str, Any]


class Seen(msgspec.Struct, frozen=True):
    """What the harness answered."""

    content: str
    is_error: bool = False


Moves = Generator[Move, Seen, None]


class Variant(msgspec.Struct, frozen=True, kw_only=True):
    """How a demonstration goes about it."""

    debugger: bool = False
    wrong_hypothesis: bool = False
    failed_edit: bool = False
    long_route: bool = False
    terse: bool = False
    """Only read, edit, test and done, without a word: for models with a short context."""


def variant(task: Task, attempt: int, seed: int, tool_names: Collection[str]) -> Variant:
    """The variant of a task's `attempt`: a recommended debugger is used, one to avoid is not, an optional one by turns.

    Attempt 0 goes straight; later ones take a detour or two. Repeatable.
    """
    rng = random.Random(f"{seed} {task.task_id} {attempt}")
    used = {"recommended": True, "optional": attempt % 2 == 0, "avoid": False}[task.debugger]
    detours = set[str]()
    if attempt:
        first = ("wrong_hypothesis", "failed_edit", "long_route")[attempt % 3 - 1]
        detours = {first, *(name for name in ("failed_edit", "long_route") if rng.random() < 0.2)}
    return Variant(debugger=used and "start_debugger" in tool_names, **dict.fromkeys(detours, True))


def solve(task: Task, how: Variant, seed: int = 0, tool_names: Collection[str] = ()) -> Moves:
    """The moves of one demonstration, ending with `done`. `tool_names`: what is offered; `bash` is used if it is."""
    if how.terse:
        return _terse(task)
    return _Oracle(task, how, random.Random(f"{seed} {task.task_id} {how}"), tool_names).moves()


def _terse(task: Task) -> Moves:
    for path in sorted(task.solution):
        yield Move("", "read_file", {"path": path})
        for edit in edits(task.workspace[path].decode(), task.solution[path].decode()):
            yield Move("", "edit_file", {"path": path, "old_str": edit.old_str, "new_str": edit.new_str})
    yield Move("", "run_tests", {})
    yield Move("", "done", {})


class _Oracle:
    def __init__(self, task: Task, how: Variant, rng: random.Random, tool_names: Collection[str]) -> None:
        self._task = task
        self._how = how
        self._rng = rng
        self._tools = tool_names
        self._changes = {
            path: edits(task.workspace[path].decode(), text.decode()) for path, text in sorted(task.solution.items())
        }

    def moves(self) -> Moves:
        failing, complaint = yield from self._reproduce()
        yield from self._read_test(failing, complaint)
        if self._how.long_route:
            yield from self._look_around()
        if self._how.wrong_hypothesis and not self._task.trap:
            yield from self._suspect_another(failing)
        yield from self._read_sources()
        if self._how.debugger:
            yield from self._debug(failing)
        files: dict[str, str] = {path: text.decode() for path, text in self._task.workspace.items()}
        if self._how.wrong_hypothesis and self._task.trap:
            yield from self._fall_for_trap(files)
        yield from self._edit(files, self._task.solution, "fix", may_miss=self._how.failed_edit)
        seen = yield Move(self._say("test"), "run_tests", {})
        passed = "passed" in seen.content and "failed" not in seen.content
        yield Move(self._say("done" if passed else "not_done", places=self._places()), "done", {})

    def _reproduce(self) -> Generator[Move, Seen, tuple[str | None, str]]:
        """The failing visible test and what it complained of."""
        seen = yield Move(self._say("reproduce"), "run_tests", {})
        found = re.search(r"FAILED (\S+::\S+)", seen.content) or re.search(
            r"^(\S+::\S+) (?:took too long|was killed)", seen.content, re.MULTILINE
        )
        complaint = next((line[1:].strip() for line in seen.content.splitlines() if line.startswith("E ")), "")
        return (found[1] if found else None), complaint

    def _read_test(self, failing: str | None, complaint: str) -> Moves:
        if failing is None:
            yield Move(self._say("no_failure"), "read_file", {"path": self._task.visible_tests[0]})
            return
        path, _, name = failing.partition("::")
        span = _function_lines(self._task.workspace.get(path, b""), name.split("[")[0].split("::")[-1])
        where = {"start_line": span[0], "end_line": span[1]} if span and not self._how.long_route else {}
        said = f"`{complaint[:160]}`" if complaint else "no assertion, it does not come to its end"
        yield Move(self._say("read_test", test=name, complaint=said), "read_file", {"path": path, **where})

    def _look_around(self) -> Moves:
        names = sorted({name for path, found in self._changes.items() for name in self._touched(path, found)})
        if "bash" in self._tools and names:
            name = names[0].split(".")[-1]
            command = f"grep -rn --include=*.py '{name}' ."
            yield Move(self._say("grep", name=name), "bash", {"command": command})
        others = [path for path in self._reachable() if path not in self._changes][:2]
        for path in others:
            yield Move(self._say("read_other", path=path), "read_file", {"path": path})

    def _suspect_another(self, failing: str | None) -> Moves:
        """Suspect a file that is innocent, look at it, and give it up."""
        innocent = [path for path in self._reachable() if path not in self._changes]
        functions = [(path, name, line) for path in innocent for name, line in _functions(self._task.workspace[path])]
        if not functions:
            return
        path, name, line = self._rng.choice(functions)
        yield Move(self._say("suspect", name=name, path=path), "read_file", {"path": path})
        if self._how.debugger and failing is not None:
            hit, seen = yield from self._stop_at(failing, path, line, self._say("start"))
            if hit and "examine_locals" in self._tools:
                yield Move(self._say("look", place=_first_line(seen.content)), "examine_locals", {})
            yield Move(self._say("innocent", name=name), "stop_debugger", {})

    def _read_sources(self) -> Moves:
        for path, found in self._changes.items():
            lines = self._task.workspace[path].decode().count("\n") + 1
            where: dict[str, int] = {}
            if lines > WHOLE_FILE_LINES and not self._how.long_route:
                first, last = found[0].line, found[-1].line
                where = {"start_line": max(1, first - 40), "end_line": min(lines, last + 40)}
            names = ", ".join(f"`{name}`" for name in self._touched(path, found)) or "the module"
            yield Move(self._say("read_source", path=path, names=names), "read_file", {"path": path, **where})

    def _debug(self, failing: str | None) -> Moves:
        place = self._place_to_stop()
        if failing is None or place is None:
            return
        path, line = place
        found = self._changes[path]
        names = ", ".join(f"`{name}`" for name in self._touched(path, found)) or f"`{path}`"
        thought = self._say("hypothesis", names=names)
        hit, seen = yield from self._stop_at(failing, path, line, thought)
        if hit:
            seen = yield Move(self._say("look", place=_first_line(seen.content)), "examine_locals", {})
            name = self._telling_name(path, line, seen.content)
            if name is not None and "print_variable" in self._tools:
                yield Move(self._say("print", name=name), "print_variable", {"name": name})
            if self._how.long_route and "where_am_i" in self._tools:
                yield Move(self._say("stack"), "where_am_i", {})
            for _ in range(self._rng.choice((0, 1, 1, 2)) + 2 * self._how.long_route):
                seen = yield Move(self._say("step"), "step_over", {})
                if "stopped" not in seen.content:
                    break
        yield Move(self._say("leave" if hit else "not_reached"), "stop_debugger", {})

    def _stop_at(self, failing: str, path: str, line: int, thought: str) -> Generator[Move, Seen, tuple[bool, Seen]]:
        """Run the failing test up to a line; whether it got there, and the last answer."""
        test_path, _, name = failing.partition("::")
        seen = yield Move(thought, "start_debugger", {"path": test_path, "test": name})
        if seen.is_error:
            return False, seen
        seen = yield Move(self._say("break", line=line, path=path), "add_breakpoint", {"file": path, "line": line})
        if seen.is_error:
            near = [int(number) for number in re.findall(r"\b\d+\b", seen.content) if int(number) != line]
            if near:
                line = min(near, key=lambda number: abs(number - line))
                seen = yield Move(
                    self._say("break", line=line, path=path), "add_breakpoint", {"file": path, "line": line}
                )
        seen = yield Move(self._say("run"), "continue_execution", {})
        return "(breakpoint" in seen.content, seen

    def _fall_for_trap(self, files: dict[str, str]) -> Moves:
        yield from self._edit(files, self._task.trap, "trap", may_miss=False)
        yield Move(self._say("test"), "run_tests", {})
        path = next(iter(self._changes))
        yield Move(self._say("more", asked=self._asked()), "read_file", {"path": path})

    def _edit(self, files: dict[str, str], target: Mapping[str, bytes], kind: str, *, may_miss: bool) -> Moves:
        """Edit `files` into `target`, keeping `files` up to date. `may_miss`: the first edit names a wrong text."""
        touched = sorted({*self._task.solution, *self._task.trap})
        wanted = {path: target.get(path, self._task.workspace[path]).decode() for path in touched}
        for path, after in wanted.items():
            for edit in edits(files[path], after):
                change = {"path": path, "old_str": edit.old_str, "new_str": edit.new_str}
                thought = self._say(kind, path=path, line=edit.line)
                missed = _misremembered(edit.old_str, files[path]) if may_miss else None
                if missed is not None:
                    may_miss = False
                    yield Move(thought, "edit_file", {**change, "old_str": missed})
                    thought = self._say("missed")
                yield Move(thought, "edit_file", change)
            files[path] = after

    def _touched(self, path: str, found: Sequence[Edit]) -> list[str]:
        """The functions that the edits touch, innermost, in order."""
        functions = _functions(self._task.workspace[path])
        source = self._task.workspace[path]
        names = []
        for edit in found:
            spans = [(name, _function_lines(source, name)) for name, _ in functions]
            around = [
                (last - first, name)
                for name, span in spans
                if span
                for first, last in [span]
                if first <= edit.line_before <= last
            ]
            if around and min(around)[1] not in names:
                names.append(min(around)[1])
        return names

    def _place_to_stop(self) -> tuple[str, int] | None:
        """File and line of the first edit inside a function, or the nearest line there at which a program can stop."""
        for path, found in self._changes.items():
            source = self._task.workspace[path]
            for edit in found:
                span = self._inside(source, edit.line_before)
                near = sorted(range(span[0] + 1, span[1] + 1), key=lambda n: abs(n - edit.line_before)) if span else []
                for line in near:
                    if check_line(source, path, line)[0] is None:
                        return path, line
        return None

    def _inside(self, source: bytes, line: int) -> tuple[int, int] | None:
        """The innermost function around a line: its first and last line."""
        spans = [_function_lines(source, name) for name, _ in _functions(source)]
        around = [span for span in spans if span and span[0] <= line <= span[1]]
        return min(around, key=lambda span: span[1] - span[0], default=None)

    def _telling_name(self, path: str, line: int, told: str) -> str | None:
        """A variable of the line that the locals show."""
        text = self._task.workspace[path].decode().splitlines()[line - 1]
        names = [name for name in re.findall(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*", text) if name.split(".")[0] in told]
        known = [name for name in names if re.search(rf"^\s*{re.escape(name.split('.')[0])}\b", told, re.MULTILINE)]
        return self._rng.choice(known) if known else None

    def _reachable(self) -> list[str]:
        found = reachable_files(self._task.workspace, self._task.visible_tests)
        return [path for path in found if self._task.workspace[path].strip()]

    def _places(self) -> str:
        names = [name for path, found in self._changes.items() for name in self._touched(path, found)]
        return ", ".join(f"`{name}`" for name in names) or ", ".join(f"`{path}`" for path in self._changes)

    def _asked(self) -> str:
        """The last sentence of the statement: what the visible tests often leave out."""
        text = " ".join(
            line for line in self._task.statement.splitlines() if line and not line.startswith(("#", "    "))
        )
        sentences = re.split(r"(?<=[.!?])\s+", text)
        return sentences[-1][:240] if sentences else ""

    def _say(self, what: str, **facts: object) -> str:
        return self._rng.choice(_WORDS[what]).format(**facts)


def _functions(source: bytes) -> list[tuple[str, int]]:
    """(name, line at which its last statement begins) of every function of a module."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    return [
        (node.name, node.body[-1].lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]


def _function_lines(source: bytes, name: str) -> tuple[int, int] | None:
    """First and last line of the first function of that name, decorators included."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name == name:
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            return first, node.end_lineno or node.lineno
    return None


def _misremembered(text: str, whole: str) -> str | None:
    """The text with one name slightly wrong, such that it stands nowhere; None if it has no name to spoil."""
    for name in re.findall(r"[A-Za-z_]\w{3,}", text):
        spoiled = re.sub(rf"\b{name}\b", name.rstrip("s") if name.endswith("s") else f"{name}s", text, count=1)
        if spoiled not in whole:
            return spoiled
    return None


def _first_line(text: str) -> str:
    return text.strip().splitlines()[0][:160] if text.strip() else "the line"


_WORDS: dict[str, Sequence[str]] = {
    "reproduce": (
        "First I reproduce the failure.",
        "Let me run the tests and see what fails.",
        "I start with the tests, to see the failure myself.",
    ),
    "no_failure": ("No single test is named; I read what the tests expect.",),
    "read_test": (
        "`{test}` fails with {complaint}. I read what it does.",
        "The failure is in `{test}`: {complaint}. What does the test do exactly?",
        "{complaint} in `{test}`. I look at the test first.",
    ),
    "grep": ("Where is `{name}` used?", "I look for the places that deal with `{name}`."),
    "read_other": ("I read `{path}` too, to know what it promises.", "`{path}` is part of the path; I read it."),
    "suspect": (
        "My first guess is `{name}` in `{path}`. I check it before I change anything.",
        "`{name}` in `{path}` could do this. Let me see.",
    ),
    "innocent": (
        "I see nothing in `{name}` that would explain it. I give that guess up.",
        "`{name}` does not explain the failure; on to the next.",
    ),
    "read_source": (
        "Now `{path}`, for {names}.",
        "The next thing to read is {names} in `{path}`.",
        "I read `{path}`: {names}.",
    ),
    "hypothesis": (
        "Hypothesis: {names} leaves the state wrong. I run the failing test under the debugger and look there.",
        "I suspect {names}. The live values will tell: I load the failing test into the debugger.",
    ),
    "start": ("I load the failing test into the debugger.", "The debugger shows whether that is so."),
    "break": ("I stop at line {line} of `{path}`.", "A breakpoint at `{path}` line {line}."),
    "run": ("Run to it.", "Now let it run."),
    "look": ("{place}. What are the values here?", "It is {place}. I look at the locals."),
    "print": ("I want to see `{name}` whole.", "What exactly is `{name}`?"),
    "stack": ("Who called this?", "I check how the program got here."),
    "step": ("One line on.", "I step over this line and watch."),
    "leave": (
        "I have seen the values on this line and leave the debugger.",
        "That shows what happens here. The program can go.",
    ),
    "not_reached": (
        "The program did not stop there in this test; that tells something too. I leave the debugger.",
        "It ended without a stop. I leave the debugger and go by the code.",
    ),
    "trap": (
        "The nearest change that explains the failure is at line {line} of `{path}`.",
        "I change `{path}` at line {line}, where it shows.",
    ),
    "more": (
        'The tests pass. But the issue also says: "{asked}" I check whether that holds in every case.',
        'Green, yet is it whole? The issue asks: "{asked}" I read the code again with that in mind.',
    ),
    "fix": (
        "The cause is at line {line} of `{path}`; I correct it there.",
        "I correct `{path}` at line {line}.",
        "Line {line} of `{path}` has to change.",
    ),
    "missed": (
        "I had the text not quite right; the answer shows how it stands. Again, exactly.",
        "Not the exact text. I take it as the file has it.",
    ),
    "test": ("Now the tests again.", "I run all tests to see whether it holds."),
    "done": (
        "All tests pass; the change is confined to {places}. Done.",
        "The failure is gone and the rest still passes. The fix is in {places}.",
    ),
    "not_done": ("Not every test passes, but I have changed what I found: {places}.",),
}
