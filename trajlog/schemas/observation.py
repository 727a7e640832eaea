"""observation: what the environment answered to a tool call (or to a turn without one)."""

from typing import ClassVar

from trajlog.schemas.base import Count, Event, Index, Int32, Name, Seconds, Topic


class Observation(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "observation"
    version: ClassVar[int] = 2
    topic: ClassVar[Topic] = "rollouts"

    turn: Index
    call_id: Name | None = None
    """The call it answers; None when the turn had no call."""
    name: str | None = None
    """Tool's name."""
    content: str
    """Text the model sees, bounded by the harness."""
    truncated_bytes: Count = 0
    is_error: bool = False
    exit_code: Int32 | None = None
    duration_s: Seconds
    tests_passed: Count | None = None
    tests_failed: Count | None = None
    format_error: bool | None = None
    """Whether the call could not be parsed or did not fit its tool; from version 2 on."""
    changed_code: bool | None = None
    """Whether the call changed the code of a source file, comments and layout aside; None when it was not run, because
    an earlier call of its turn failed. From version 2 on."""
    debugger_state: Name | None = None
    """State of the debugged program after the call, `exited` without one; from version 2 on."""
