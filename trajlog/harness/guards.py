"""When an episode is ended early because it leads nowhere: pure functions over its calls so far.

A guard's name travels in `episode_finished.guard`; the reward makes such an end no cheaper than the turn cap.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class GuardConfig(msgspec.Struct, frozen=True, kw_only=True):
    max_format_errors: int = 3
    """Turns in a row whose tool call could not be parsed or fitted to its tool, at which the episode ends."""
    max_identical_calls: int = 4
    """Calls in a row with the same arguments and the same answer, at which the episode ends."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if getattr(self, name) < 2:
                raise ValueError(f"GuardConfig.{name} is {getattr(self, name)}; it must be at least 2")


class CallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One call as guards and rewards see it."""

    name: str
    """The tool, or "" if no call could be parsed."""
    signature: str
    """Digest over name, arguments and the answer: equal for a call that repeats and learns nothing."""
    format_error: bool = False
    is_error: bool = False
    path: str | None = None
    """The file read or edited."""
    changed: bool = False
    """Whether an edit changed code (comments and layout aside)."""
    stopped: bool = False
    """Whether a debugger call left the program stopped in the agent's code."""


def format_errors(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the last `limit` calls were all format errors."""
    return len(calls) >= limit and all(call.format_error for call in calls[-limit:])


def repeated_call(calls: Sequence[CallRecord], limit: int) -> bool:
    """Whether the last `limit` calls were one and the same, with one and the same answer."""
    return len(calls) >= limit and len({call.signature for call in calls[-limit:]}) == 1


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
    return None
