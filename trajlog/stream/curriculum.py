"""Which task opens the next group. Pure, and a function of the log: formulas and reasons in docs/scheduling.md.

1. Label. Two phases: debugger acquisition (recommended and optional tasks), then abstention (avoid tasks join). Groups
   are opened in the shares of SHARES, never more than one group off.
2. Difficulty. Of each category the tasks up to its level are open; the level begins at the lowest difficulty there is.
3. Task. Within a label the open tasks stand on a line. Opening a group moves its task forward by its cost: 1 when its
   estimated success lies in PREFERRED, REST_COST when not, more the longer it stays unsolved. The task furthest back is
   next; ties are broken by a shuffle that depends on the seed and the place.

Phase and levels advance on mastered episodes: solved, with the debugger used as the task's label asks, left alone
included. Estimates are means of a Beta distribution with a uniform prior over a task's last WINDOW episodes, so that
they follow the policy, and an unseen task (0.5) is preferred.
"""

import hashlib
from collections import Counter, deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

Label = Literal["recommended", "optional", "avoid"]

SHARES: Sequence[Mapping[Label, float]] = (
    {"recommended": 0.8, "optional": 0.2},
    {"recommended": 0.6, "optional": 0.2, "avoid": 0.2},
)
"""Of the groups opened in phase 1 and in phase 2. A label without tasks leaves its share to the others."""
PREFERRED = (0.3, 0.7)
"""A group that solves all or nothing has no advantage to learn from."""
WINDOW = 48
"""Episodes of a task that its estimate is made of: four groups of 12."""
REST_COST = 5
"""Cost of a task outside PREFERRED: it comes a fifth as often (docs/log.md has 3, 5 and 8 beside each other)."""
UNSOLVED_EPISODES = 24
"""For each so many episodes since a task's last solved one its cost doubles, MOST_DOUBLINGS times at most: retries
become rare and never cease."""
MOST_DOUBLINGS = 2
RISE_EPISODES = 24
"""A category's level rises when of its last so many episodes at the level at least MASTERED are mastered."""
ADVANCE_EPISODES = 240
"""Phase 2 begins when of the last so many episodes at least MASTERED are mastered: 20 groups of 12."""
MASTERED = 0.5


class CurriculumTask(msgspec.Struct, frozen=True):
    """What the curriculum knows of a task."""

    task_id: str
    category: str = "any"
    difficulty: int = 1
    debugger: Label = "optional"


class _Record:
    """A task's place on its label's line and its last episodes."""

    def __init__(self) -> None:
        self.place = 0
        self.outcomes: deque[bool] = deque(maxlen=WINDOW)
        self.unsolved = 0
        """Episodes since the last solved one."""


class Curriculum:
    """Worked example::

    curriculum = Curriculum([CurriculumTask("a"), CurriculumTask("b")], seed=0)
    task_id = curriculum.next_task()
    curriculum.opened(task_id)                                      # a group was opened
    curriculum.finished(task_id, solved=True, debugger_fits=True)   # an episode of it has its verdict
    """

    def __init__(self, tasks: Iterable[CurriculumTask], seed: int) -> None:
        """`tasks` must not be empty; their ids differ."""
        self._seed = seed
        self._tasks = {task.task_id: task for task in tasks}
        self._records = {task_id: _Record() for task_id in self._tasks}
        self._steps: dict[str, list[int]] = {}
        """Difficulties of each category, rising."""
        self._easiest: dict[tuple[str, Label], int] = {}
        for task in self._tasks.values():
            self._steps[task.category] = sorted({task.difficulty, *self._steps.get(task.category, ())})
            key = (task.category, task.debugger)
            self._easiest[key] = min(task.difficulty, self._easiest.get(key, task.difficulty))
        self.levels = {category: steps[0] for category, steps in self._steps.items()}
        """Per category the highest difficulty that is open."""
        labels = {task.debugger for task in self._tasks.values()}
        self.phase: Literal[1, 2] = 1 if labels & SHARES[0].keys() else 2
        self._labels = labels
        self._opened: Counter[Label] = Counter()
        """Groups opened in this phase."""
        self._at_level: dict[str, deque[bool]] = {name: deque(maxlen=RISE_EPISODES) for name in self._steps}
        self._in_phase: deque[bool] = deque(maxlen=ADVANCE_EPISODES)

    def success(self, task_id: str) -> float:
        """Estimated success rate: (1 + solved) / (2 + episodes)."""
        record = self._records.get(task_id)
        outcomes = record.outcomes if record else ()
        return (1 + sum(outcomes)) / (2 + len(outcomes))

    def cost(self, task_id: str) -> int:
        """How far opening a group moves the task forward."""
        low, high = PREFERRED
        record = self._records[task_id]
        doublings = min(record.unsolved // UNSOLVED_EPISODES, MOST_DOUBLINGS)
        if doublings > 0:
            return REST_COST << doublings
        return 1 if low <= self.success(task_id) <= high else REST_COST

    def next_task(self) -> str:
        """The open task furthest back, of the label that is furthest behind its share."""
        shares = self._shares()
        due = sum(self._opened[label] for label in shares) + 1
        label = max(sorted(shares), key=lambda name: shares[name] * due - self._opened[name])
        return min(self._open(label), key=lambda name: (self._records[name].place, self._shuffled(name), name))

    def opened(self, task_id: str) -> None:
        """A group of this task was opened (also one that is no longer among the tasks)."""
        task = self._tasks.get(task_id)
        if task is not None:
            self._records[task_id].place += self.cost(task_id)
            self._opened[task.debugger] += 1

    def finished(self, task_id: str, solved: bool, debugger_fits: bool | None = None) -> None:
        """An episode of this task ended, solved or not, the debugger used as its label asks or not (None: there was
        none to use); infrastructure errors do not count."""
        task = self._tasks.get(task_id)
        if task is None:
            return
        record = self._records[task_id]
        if solved and record.unsolved >= UNSOLVED_EPISODES:  # it stands far ahead: back to the others
            record.place = min(record.place, self._front(task.debugger) + 1)
        record.outcomes.append(solved)
        record.unsolved = 0 if solved else record.unsolved + 1
        self._advance(task, mastered=solved and debugger_fits is not False)

    def _advance(self, task: CurriculumTask, mastered: bool) -> None:
        steps, level = self._steps[task.category], self.levels[task.category]
        if task.difficulty >= level:
            latest = self._at_level[task.category]
            latest.append(mastered)
            if _mastered(latest) and level < steps[-1]:
                latest.clear()
                self._raise(task.category, next(step for step in steps if step > level))
        if self.phase == 1:
            self._in_phase.append(mastered)
            if _mastered(self._in_phase):
                self.phase = 2
                self._opened.clear()

    def _raise(self, category: str, level: int) -> None:
        """Open the tasks of the next difficulty; they join their lines where those begin."""
        fronts = {label: self._front(label) for label in self._labels}
        before = {name for label in self._labels for name in self._open(label)}
        self.levels[category] = level
        for name in {name for label in self._labels for name in self._open(label)} - before:
            self._records[name].place = fronts[self._tasks[name].debugger]

    def _shares(self) -> dict[Label, float]:
        shares = {label: share for label, share in SHARES[self.phase - 1].items() if label in self._labels}
        return {label: share / sum(shares.values()) for label, share in shares.items()}

    def _open(self, label: Label) -> list[str]:
        """Ids of a label's tasks that may be played: up to their category's level, and the easiest of each category."""
        return [
            task.task_id
            for task in self._tasks.values()
            if task.debugger == label
            and task.difficulty <= max(self.levels[task.category], self._easiest[task.category, label])
        ]

    def _front(self, label: Label) -> int:
        """Place of the open task furthest back."""
        return min(self._records[name].place for name in self._open(label))

    def _shuffled(self, task_id: str) -> bytes:
        return hashlib.sha256(f"{self._seed}/{self._records[task_id].place}/{task_id}".encode()).digest()


def _mastered(latest: deque[bool]) -> bool:
    return len(latest) == latest.maxlen and sum(latest) >= MASTERED * len(latest)
