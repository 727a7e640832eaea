"""When an episode is ended early because it leads nowhere: pure functions over its calls so far.

A guard's name travels in `episode_finished.guard`; the reward makes such an end no cheaper than the turn cap. A call
and its answer together are what repeats: the same command that answers otherwise is no repetition. Steps of a
debugged program are none either, since the program moves on where the reply looks the same (the third pass of a loop).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

MOVES = frozenset({"continue_execution", "step_over", "step_into", "step_out", "interrupt"})
"""Tools that let a debugged program go on; one that leaves it stopped has moved it."""
_ANSWERS_WITH_ERRORS = frozenset({"bash", "run_tests"})
"""Tools whose failure can be news: a program's exit code is an answer, a refused argument is not."""
_CYCLE_LENGTHS = (2, 3)


class GuardConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Each is at least 2."""

    max_format_errors: int = 3
    """Turns in a row whose tool call could not be parsed or fitted to its tool, at which the episode ends."""
    max_identical_calls: int = 4
    """Calls in a row with the same arguments and the same answer, at which the episode ends."""
    max_cycles: int = 3
    """Times in a row that the same two or three calls come with the same answers, at which the episode ends."""
    max_stalled_calls: int = 10
    """Calls in a row without news, at which the episode ends. News is: a change of code, a file's lines not read since
    the last change, a step of a debugged program, a test run or other answer not seen since the last change."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 2:
                raise ValueError(f"GuardConfig.{name} is {getattr(self, name)}; it must be at least 2")


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One call that was answered, as guards and rewards see it."""

    name: str
    """The tool, or "" if no call could be parsed."""
    signature: str
    """Digest over name, arguments and the answer: equal for a call that repeats and learns nothing."""
    format_error: bool = False
    is_error: bool = False
    lines: tuple[str, int, int] | None = None
    """Path, first and last line that a `read_file` asked for."""
    changed: bool = False
    """Whether the call changed code (comments and layout aside)."""
    stopped: bool = False
    """Whether a debugger call left the program stopped in the agent's code."""

    @property
    def moved(self) -> bool:
        """Whether the call moved a debugged program to another stop."""
        return self.name in MOVES and self.stopped and not self.is_error


def signature(name: str, arguments: object, answer: str) -> str:
    """CallRecord.signature: SHA-256, hexadecimal."""
    text = json.dumps([name, arguments, answer], sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", errors="replace")).hexdigest()


def lines_read(name: str, arguments: Mapping[str, Any], max_lines: int) -> tuple[str, int, int] | None:
    """CallRecord.lines of a call: what it asked for, whether or not the file is that long. `max_lines`: of one call."""
    path, start, end = arguments.get("path"), arguments.get("start_line", 1), arguments.get("end_line")
    if name != "read_file" or not isinstance(path, str) or not isinstance(start, int):
        return None
    last = start + max_lines - 1
    return path, start, min(end, last) if isinstance(end, int) else last


def format_errors(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the last `limit` calls were all format errors."""
    return len(calls) >= limit and all(call.format_error for call in calls[-limit:])


def repeated_call(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the last `limit` calls were one and the same with one and the same answer, and no step."""
    last = calls[-limit:]
    return len(last) == limit and len({call.signature for call in last}) == 1 and not last[0].moved


def cycle(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the calls end with the same two or three calls `limit` times, not all of them steps.

    >>> look, test = CallRecord(name="read_file", signature="a"), CallRecord(name="run_tests", signature="b")
    >>> cycle([look, test, look, test, look, test], limit=3)
    True
    """
    for length in _CYCLE_LENGTHS:
        last = calls[-length * limit :]
        marks = [call.signature for call in last]
        if len(last) == length * limit and marks == marks[:length] * limit and not all(call.moved for call in last):
            return True
    return False


def stall(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the last `limit` calls brought no news (GuardConfig.max_stalled_calls says what news is)."""
    return len(calls) >= limit and not any(list(news(calls))[-limit:])


def news(calls: Iterable[CallRecord]) -> Iterable[bool]:
    """For each call, whether it brought something new."""
    seen: set[str] = set()
    read: dict[str, list[tuple[int, int]]] = {}
    for call in calls:
        if call.changed:
            seen, read = set(), {}
            yield True
        elif call.format_error or (call.is_error and call.name not in _ANSWERS_WITH_ERRORS):
            yield False
        elif call.lines is not None:
            path, first, last = call.lines
            spans = read.setdefault(path, [])
            yield not _covered(spans, first, last)
            spans.append((first, last))
        else:
            yield call.moved or (call.name != "edit_file" and call.signature not in seen)
            seen.add(call.signature)


def _covered(spans: Sequence[tuple[int, int]], first: int, last: int) -> bool:
    """Whether `spans` together hold every line of first..last."""
    for start, stop in sorted(spans):
        if start <= first <= stop:
            first = stop + 1
    return first > last


def tripped(calls: Sequence[CallRecord], config: GuardConfig) -> str | None:
    """The name of the guard that ends the episode now, or None.

    >>> call = CallRecord(name="bash", signature="ls")
    >>> tripped([call] * 4, GuardConfig())
    'repeated_call'
    """
    if format_errors(calls, config.max_format_errors):
        return "format_errors"
    if repeated_call(calls, config.max_identical_calls):
        return "repeated_call"
    if cycle(calls, config.max_cycles):
        return "cycle"
    return "stall" if stall(calls, config.max_stalled_calls) else None
