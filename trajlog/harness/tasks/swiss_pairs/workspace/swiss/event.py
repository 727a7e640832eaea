"""One event, round by round."""

from swiss.pairing import draw
from swiss.players import Register
from swiss.reports import names_in_order
from swiss.results import Record, read


class Event:
    def __init__(self, *names):
        self.register = Register()
        self.record = Record()
        self.pairs = []
        self.rounds = 0
        for name in names:
            self.register.add(name, 0)

    def start_round(self):
        if self.pairs:
            raise RuntimeError("the round is not over")
        self.pairs, bye = draw(self.register)
        self.rounds += 1
        for first, second in self.pairs:
            first.met.append(second.name)
            second.met.append(first.name)
        if bye:
            bye.had_bye = True
            bye.points += 1
        return [f"{first.name}-{second.name}" for first, second in self.pairs]

    def finish_round(self, *results):
        """One result per pair: 1, 0.5 or 0 for the first player."""
        for (first, second), result in zip(self.pairs, results, strict=True):
            first.points += result
            second.points += 1 - result
            self.record.add(self.rounds, first.name, second.name, result)
        self.pairs = []

    def enter(self, text):
        """Results of a round as one text, such as `1-0, draw`."""
        self.finish_round(*map(read, text.split(",")))

    def cross_table(self):
        return self.record.cross_table(names_in_order(self.register))
