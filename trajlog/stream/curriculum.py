"""Which task opens the next group: a seeded round robin in which tasks worth training on come three times as often.

A task is worth training on when its estimated success lies in PREFERRED: a group that solves all or nothing has no
advantage to learn from. The estimate is the mean of a Beta distribution with a uniform prior over the task's last
WINDOW episodes, so that it follows the policy, and an unseen task (0.5) is preferred.

Every opening moves a task forward by 1 (preferred) or REST_COST (not) on a common line; the task furthest back is
next; ties are broken by a shuffle that depends on the seed and the place. Pure, and a function of the log.
"""

import hashlib
from collections import deque
from collections.abc import Sequence

PREFERRED = (0.3, 0.7)
WINDOW = 48
REST_COST = 3


class Curriculum:
    """Worked example::

    curriculum = Curriculum(["a", "b"], seed=0)
    task_id = curriculum.next_task()
    curriculum.opened(task_id)                # a group was opened
    curriculum.finished(task_id, solved=True) # an episode of it has its verdict
    """

    def __init__(self, task_ids: Sequence[str], seed: int) -> None:
        """`task_ids` must not be empty."""
        self._seed = seed
        self._places = dict.fromkeys(task_ids, 0)
        self._outcomes: dict[str, deque[bool]] = {}

    def success(self, task_id: str) -> float:
        """Estimated success rate: (1 + solved) / (2 + episodes)."""
        outcomes = self._outcomes.get(task_id, ())
        return (1 + sum(outcomes)) / (2 + len(outcomes))

    def next_task(self) -> str:
        """The task furthest back."""
        return min(self._places, key=lambda task_id: (self._places[task_id], self._shuffled(task_id), task_id))

    def opened(self, task_id: str) -> None:
        """A group of this task was opened (also one that is no longer among the tasks)."""
        if task_id in self._places:
            low, high = PREFERRED
            self._places[task_id] += 1 if low <= self.success(task_id) <= high else REST_COST

    def finished(self, task_id: str, solved: bool) -> None:
        """An episode of this task ended, solved or not; infrastructure errors do not count."""
        self._outcomes.setdefault(task_id, deque(maxlen=WINDOW)).append(solved)

    def _shuffled(self, task_id: str) -> bytes:
        return hashlib.sha256(f"{self._seed}/{self._places[task_id]}/{task_id}".encode()).digest()
