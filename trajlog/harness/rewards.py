"""The reward of an episode: a sum of components, each a pure function of the episode's facts and the weights.

Facts are folded from the episode's events and nothing else (producers/facts.py), so that a reward can be computed
again from the log with other weights. Test outcome dominates. Process credit needs an edit that changed code, and is
capped on failures. Stalling is never the cheapest way to fail: an episode that a guard stopped without having solved
its task keeps no process credit, is charged the whole turn cost and at least the turn cap's penalty. Sizes follow the
article this design takes its recipe from, where guard exits that escaped those penalties averaged +0.095 against
-0.949 for failures at the turn cap, and were learned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

import msgspec

from trajlog.harness.guards import CallRecord

Ending = Literal["done", "turn_cap", "context_full", "guard", "error"]
"""How the agent loop ended, whether or not the bug is fixed: `done` was called, turns or context ran out, a guard
stopped it, or the infrastructure failed."""

_INSPECTIONS = frozenset({"bash", "read_file"})


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


class RewardConfig(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The weights, all finite. Penalties are at most 0, credits at least 0. Bounds keep failing from paying."""

    solved: float = 1.0
    failing_tests: float = -1.0
    turn_cap: float = -0.5
    """Also when the context is full."""
    guard_exit: float = -0.5
    """At most `turn_cap`."""
    progress_relief: float = 0.5
    """Largest share of `turn_cap` or `guard_exit` that test progress takes back; 0..0.5."""
    turn_cost: float = -0.2
    max_cost: float = 1.4
    """Cost of an episode that used every turn, or that a guard stopped; in proportion below."""
    inspected_before_edit: float = 0.20
    debugger_fits: float = 0.15
    localized: float = 0.10
    changed_code: float = 0.05
    failed_process_cap: float = 0.15
    """Most process credit that a failure keeps; one that a guard stopped keeps none."""
    solved_floor: float = 0.5
    """Least reward of a solved episode, however it ended."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if not math.isfinite(getattr(self, name)):
                raise ValueError(f"RewardConfig.{name} is {getattr(self, name)}; set a finite number")
        for name in ("failing_tests", "turn_cap", "turn_cost"):
            if getattr(self, name) > 0:
                raise ValueError(f"RewardConfig.{name} is {getattr(self, name)}; it is a penalty: set 0 or less")
        for name in (*_PROCESS, "solved", "max_cost", "failed_process_cap"):
            if getattr(self, name) < 0:
                raise ValueError(f"RewardConfig.{name} is {getattr(self, name)}; set 0 or more")
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


def tests(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.solved if facts.solved else weights.failing_tests


def inspected_before_edit(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.inspected_before_edit if facts.changed_code and facts.inspected_before_edit else 0.0


def debugger_fits(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.debugger_fits if facts.changed_code and facts.debugger_fits else 0.0


def localized(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.localized if facts.changed_code and facts.localized else 0.0


def changed_code(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.changed_code if facts.changed_code else 0.0


def process_cap(facts: EpisodeFacts, weights: RewardConfig) -> float:
    """What a failure gives back of its process credit: all above the cap, and all of it after a guard's stop."""
    if facts.solved:
        return 0.0
    credit = math.fsum(component(facts, weights) for component in _PROCESS.values())
    kept = 0.0 if facts.ending == "guard" else weights.failed_process_cap
    return min(0.0, kept - credit)


def turn_cap(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.turn_cap if facts.ending == "turn_cap" else 0.0


def context_full(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.turn_cap if facts.ending == "context_full" else 0.0


def guard(facts: EpisodeFacts, weights: RewardConfig) -> float:
    return weights.guard_exit if facts.ending == "guard" else 0.0


def progress_relief(facts: EpisodeFacts, weights: RewardConfig) -> float:
    """The share of the ending's penalty that measured test progress takes back."""
    penalty = turn_cap(facts, weights) + context_full(facts, weights) + guard(facts, weights)
    return -penalty * weights.progress_relief * facts.progress


def turn_cost(facts: EpisodeFacts, weights: RewardConfig) -> float:
    used = 1.0 if facts.ending == "guard" else min(1.0, facts.num_turns / facts.turn_limit)
    return weights.turn_cost * weights.max_cost * used


def solved_floor(facts: EpisodeFacts, weights: RewardConfig) -> float:
    """What a solved episode lacks to its floor."""
    if not facts.solved:
        return 0.0
    return max(0.0, weights.solved_floor - math.fsum(part(facts, weights) for part in _BELOW_FLOOR.values()))


Component = Callable[[EpisodeFacts, RewardConfig], float]

_PROCESS: dict[str, Component] = {
    "inspected_before_edit": inspected_before_edit,
    "debugger_fits": debugger_fits,
    "localized": localized,
    "changed_code": changed_code,
}
_BELOW_FLOOR: dict[str, Component] = {
    "tests": tests,
    **_PROCESS,
    "process_cap": process_cap,
    "turn_cap": turn_cap,
    "context_full": context_full,
    "guard": guard,
    "progress_relief": progress_relief,
    "turn_cost": turn_cost,
}
COMPONENTS: Mapping[str, Component] = {**_BELOW_FLOOR, "solved_floor": solved_floor}
"""Every term of a reward, by the name it has in `episode_finished.reward_components`."""


def reward(facts: EpisodeFacts, weights: RewardConfig) -> tuple[float, dict[str, float]]:
    """The reward and its components that are not 0, whose sum it is. An infrastructure error has reward 0 and none.

    >>> facts = EpisodeFacts(ending="done", solved=True, tests_total=4, tests_passed=4, tests_passed_before=2,
    ...     num_turns=5, turn_limit=10, changed_code=True, inspected_before_edit=True, localized=True,
    ...     debugger_fits=False)
    >>> round(reward(facts, RewardConfig())[0], 2)  # 1 + 0.2 + 0.1 + 0.05 - 0.2 * 0.7
    1.21
    """
    if facts.ending == "error":
        return 0.0, {}
    computed = {name: component(facts, weights) for name, component in COMPONENTS.items()}
    components = {name: value for name, value in computed.items() if value}
    return math.fsum(components.values()), components


def has_inspected_before_edit(calls: Sequence[CallRecord]) -> bool:
    """EpisodeFacts.inspected_before_edit: a call that looked at the program precedes one that changed its code, by
    whatever tool."""
    inspected = False
    for call in calls:
        if call.changed and inspected:
            return True
        if call.stopped or (call.name in _INSPECTIONS and not call.format_error and not call.changed):
            inspected = True
    return False


def debugger_use_fits(label: str, calls: Sequence[CallRecord]) -> bool:
    """EpisodeFacts.debugger_fits: the debugger was used as the task's label (recommended, optional, avoid) asks."""
    started = any(call.name == "start_debugger" and not call.format_error for call in calls)
    looked = any(call.stopped for call in calls)
    if label == "recommended":
        return looked
    if label == "avoid":
        return not started
    return looked or not started
