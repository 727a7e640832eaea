"""Pools of questions."""

from dataclasses import dataclass


class PoolEmpty(LookupError):
    """A pool has too few questions."""


@dataclass(frozen=True)
class Question:
    text: str
    answer: str
    level: int = 1


class Pool:
    """Questions under a name."""

    def __init__(self, name, questions=()):
        self.name = name
        self._questions = list(questions)

    @classmethod
    def read(cls, name, text):
        """Lines such as `2 | 6 x 7 | 42`: level, question, answer."""
        questions = []
        for line in text.splitlines():
            if line.strip():
                level, question, answer = (part.strip() for part in line.split("|"))
                questions.append(Question(question, answer, int(level)))
        return cls(name, questions)

    def __iter__(self):
        return iter(self._questions)

    def __len__(self):
        return len(self._questions)


class Draw:
    """Questions drawn from pools for one sheet."""

    def __init__(self, pools):
        self._pools = pools
        self._left = {}

    def next(self, name, level=None):
        """The next question of the pool; with a level the next of that level, the others stay."""
        if name not in self._left:
            self._left[name] = list(self._pools[name])
        left = self._left[name]
        for place, question in enumerate(left):
            if level in (None, question.level):
                return left.pop(place)
        raise PoolEmpty(f"pool {name} has no more questions" + (f" of level {level}" if level else ""))
