"""The reward of an episode: a pure function of its facts, with every component recorded.

Test outcome dominates. Process credit needs an edit that changed code, and is capped on failures. Stalling is never
the cheapest way to fail: an episode that a guard stopped is charged the whole turn cost and at least the turn cap's
penalty. Sizes follow the article this design takes its recipe from, where guard exits that escaped those penalties
averaged +0.095 against -0.949 for failures at the turn cap, and were learned.
"""

from __future__ import annotations

import math
from typing import Literal

import msgspec

Ending = Literal["done", "turn_cap", "context_full", "guard", "error"]
"""How the agent loop ended, whether or not the bug is fixed: `done` was called, turns or context ran out, a guard
stopped it, or the infrastructure failed."""


class EpisodeFacts(msgspec.Struct, frozen=True, kw_only=True):
    """What the reward depends on, and nothing else."""

    ending: Ending
    solved: bool
    tests_total: int
    """Expected tests, visible and held back."""
    tests_passed: int
    """Passed in grading."""
    tests_passed_before: int
    """Passed by the task's untouched files."""
    num_turns: int
    turn_limit: int
    changed_code: bool
    """The graded source differs from the task's by more than comments and layout."""
    inspected_before_edit: bool
    """An inspection (a file read, a shell command, a look at a stopped program) came before a changing edit."""
    localized: bool
    """A file that the task's solution changes was changed."""
    debugger_fits: bool
    """A recommended debugger was used to look at a stopped program; one to avoid was not started; an optional one
    was either left alone or used like that."""

    def __post_init__(self) -> None:
        if not 0 <= self.tests_passed <= self.tests_total or not 0 <= self.tests_passed_before <= self.tests_total:
            raise ValueError(
                f"EpisodeFacts: tests_passed {self.tests_passed} and tests_passed_before "
                f"{self.tests_passed_before} must lie between 0 and tests_total {self.tests_total}"
            )
        if self.turn_limit < 1 or self.num_turns < 0:
            raise ValueError(f"EpisodeFacts: num_turns {self.num_turns} of turn_limit {self.turn_limit}")

    @property
    def progress(self) -> float:
        """Share of the tests failing at first that pass now, less newly broken ones; 0..1."""
        gained = self.tests_passed - self.tests_passed_before
        missing = self.tests_total - self.tests_passed_before
        return max(0.0, gained / missing) if missing else float(self.solved)


class RewardConfig(msgspec.Struct, frozen=True, kw_only=True):
    """Penalties are below 0, credits above. See the module for what each bound is for."""

    solved: float = 1.0
    failing_tests: float = -1.0
    turn_cap: float = -0.5
    """Also when the context is full."""
    guard_exit: float = -0.5
    """At most `turn_cap`."""
    progress_relief: float = 0.5
    """Largest share of `turn_cap` or `guard_exit` that test progress takes back."""
    turn_cost: float = -0.2
    max_cost: float = 1.4
    """Cost of an episode that used every turn, or that a guard stopped; in proportion below."""
    inspected_before_edit: float = 0.20
    debugger_fits: float = 0.15
    localized: float = 0.10
    changed_code: float = 0.05
    failed_process_cap: float = 0.15
    """Most process credit that a failure keeps."""
    solved_floor: float = 0.5
    """Least reward of a solved episode, however it ended."""

    def __post_init__(self) -> None:
        if self.guard_exit > self.turn_cap:
            raise ValueError(
                f"RewardConfig.guard_exit {self.guard_exit} is milder than turn_cap {self.turn_cap}: stalling would "
                "pay. Set it to turn_cap or lower."
            )
        if not 0 <= self.progress_relief <= 0.5:
            raise ValueError(f"RewardConfig.progress_relief is {self.progress_relief}; set it between 0 and 0.5")
        if self.solved_floor <= self.failing_tests + self.failed_process_cap:
            raise ValueError(
                f"RewardConfig.solved_floor {self.solved_floor} is not above what a failure can reach "
                f"({self.failing_tests + self.failed_process_cap}). Raise it."
            )


def reward(facts: EpisodeFacts, config: RewardConfig) -> tuple[float, dict[str, float]]:
    """The reward and its components, whose sum it is. An infrastructure error has reward 0 and no component.

    >>> facts = EpisodeFacts(ending="done", solved=True, tests_total=4, tests_passed=4, tests_passed_before=2,
    ...     num_turns=5, turn_limit=10, changed_code=True, inspected_before_edit=True, localized=True,
    ...     debugger_fits=False)
    >>> round(reward(facts, RewardConfig())[0], 2)  # 1 + 0.2 + 0.1 + 0.05 - 0.2 * 0.7
    1.21
    """
    if facts.ending == "error":
        return 0.0, {}
    components = {"tests": config.solved if facts.solved else config.failing_tests}
    if facts.changed_code:
        for name in ("inspected_before_edit", "debugger_fits", "localized", "changed_code"):
            if getattr(facts, name):
                components[name] = getattr(config, name)
        credit = math.fsum(components.values()) - components["tests"]
        if not facts.solved and credit > config.failed_process_cap:
            components["process_cap"] = config.failed_process_cap - credit
    penalty = {"turn_cap": config.turn_cap, "context_full": config.turn_cap, "guard": config.guard_exit}
    if facts.ending in penalty:
        components[facts.ending] = penalty[facts.ending]
        if facts.progress:
            components["progress_relief"] = -penalty[facts.ending] * config.progress_relief * facts.progress
    used = 1.0 if facts.ending == "guard" else min(1.0, facts.num_turns / facts.turn_limit)
    if used:
        components["turn_cost"] = config.turn_cost * config.max_cost * used
    if facts.solved:
        missing = config.solved_floor - math.fsum(components.values())
        if missing > 0:
            components["solved_floor"] = missing
    return math.fsum(components.values()), components
