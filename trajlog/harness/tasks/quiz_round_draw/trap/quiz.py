"""Draws the rounds of a quiz show from a stock of questions."""

import random
from dataclasses import dataclass


class OutOfQuestions(RuntimeError):
    """The stock has too few questions left."""


@dataclass(frozen=True)
class Question:
    number: int
    topic: str
    points: int


class Show:
    """All randomness comes from `seed`."""

    def __init__(self, stock, seed):
        self._stock = sorted(stock, key=lambda question: question.number)
        self._random = random.Random(seed)
        self._asked = set()
        self.rounds = []

    def available(self, topic=None):
        return [
            question
            for question in self._stock
            if question.number not in self._asked and topic in (None, question.topic)
        ]

    def draw_round(self, size, topic=None):
        """Questions of one round, the cheap ones first."""
        candidates = self.available(topic)
        if len(candidates) < size:
            raise OutOfQuestions(f"{size} questions wanted, {len(candidates)} left")
        drawn = list(dict.fromkeys(self._random.choices(candidates, k=50 * size)))
        drawn.sort(key=lambda question: (question.points, question.number))
        self._asked.update(question.number for question in drawn)
        self.rounds.append(drawn)
        return drawn

    def final(self):
        """One question out of the dearest that are left."""
        left = self.available()
        if not left:
            raise OutOfQuestions("no question for the final")
        dearest = max(question.points for question in left)
        question = self._random.choice([question for question in left if question.points == dearest])
        self._asked.add(question.number)
        self.rounds.append([question])
        return question

    def total_points(self):
        return sum(question.points for drawn in self.rounds for question in drawn)
