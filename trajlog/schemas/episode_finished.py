"""episode_finished: last event of an episode, with its outcome and reward."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Name, Reward, Topic
from trajlog.schemas.episode_started import DebuggerArm

Outcome = Literal["solved", "failed", "turn_cap", "context_full", "guard", "error"]
Ending = Literal["done", "turn_cap", "context_full", "guard", "error"]
"""How the agent loop ended, whether or not the bug is fixed."""


class EpisodeFinished(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_finished"
    version: ClassVar[int] = 3
    topic: ClassVar[Topic] = "rollouts"

    task_id: Name
    outcome: Outcome
    guard: Name | None = None
    """Which guard stopped the episode, when outcome is guard."""
    error: str | None = None
    """What the infrastructure died of, when outcome is error; such an episode has no reward and is never trained."""
    reward: Reward | None
    reward_components: dict[str, float]
    """Every term of the reward; they add up to it."""
    num_turns: Count
    num_generated_tokens: Count
    tests_passed: Count | None = None
    tests_failed: Count | None = None
    """Grader's counts over visible and held-back tests."""
    ending: Ending | None = None
    """From version 2 on, as all below; None in older records."""
    tests_passed_before: Count | None = None
    """Of the same tests, those that the task's untouched files pass; None on an error."""
    changed_code: bool | None = None
    """Whether the graded source differs from the task's by more than comments and layout; None on an error."""
    localized: bool | None = None
    """Whether a file was changed that the held-back solution changes; None on an error."""
    flags: tuple[Name, ...] | None = None
    """What grading saw that looks like tampering: for people who watch a run; no reward depends on it."""
    tool_usage: dict[str, Count] | None = None
    """Calls run, per tool's name."""
    debugger_arm: DebuggerArm | None = None
    """As in episode_started."""
    debugger_fits: bool | None = None
    """Whether the debugger was used as the task's label asks, left alone included; None on an error and where none was
    offered. From version 3 on."""

    def check(self) -> None:
        if (self.outcome == "error") != (self.reward is None):
            raise ValueError(f"outcome {self.outcome!r} with reward {self.reward}: exactly an error has no reward")
        if (self.outcome == "guard") != (self.guard is not None):
            raise ValueError(f"outcome {self.outcome!r} with guard {self.guard!r}: name the guard exactly then")
