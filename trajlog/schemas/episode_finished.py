"""episode_finished: last event of an episode, with its outcome and reward."""

from typing import ClassVar, Literal

from trajlog.schemas.base import Count, Event, Name, Topic

Outcome = Literal["solved", "failed", "turn_cap", "context_full", "guard", "error"]


class EpisodeFinished(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "episode_finished"
    topic: ClassVar[Topic] = "rollouts"

    task_id: Name
    outcome: Outcome
    guard: Name | None = None
    """Which guard stopped the episode, when outcome is guard."""
    error: str | None = None
    """What the infrastructure died of, when outcome is error; such an episode has no reward and is never trained."""
    reward: float | None
    reward_components: dict[str, float]
    """Every term of the reward; they add up to it."""
    num_turns: Count
    num_generated_tokens: Count
    tests_passed: Count | None = None
    tests_failed: Count | None = None
    """Grader's counts over visible and held-back tests."""

    def check(self) -> None:
        if (self.outcome == "error") != (self.reward is None):
            raise ValueError(f"outcome {self.outcome!r} with reward {self.reward}: exactly an error has no reward")
        if (self.outcome == "guard") != (self.guard is not None):
            raise ValueError(f"outcome {self.outcome!r} with guard {self.guard!r}: name the guard exactly then")
