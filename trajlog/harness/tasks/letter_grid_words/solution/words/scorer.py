"""Points of plays."""

from words.letters import points


class Scorer:
    """Remembers what it has scored: the solver asks for the same plays over and over."""

    def __init__(self, row, bonus_length=7, bonus=50):
        self.row = row
        self._bonus_length = bonus_length
        self._bonus = bonus
        self._known = {}
        self.num_scored = 0

    def score(self, play):
        key = play.letters, play.start
        if key not in self._known:
            self._known[key] = self._score(play)
        return self._known[key]

    def _score(self, play):
        self.num_scored += 1
        total = sum(
            points(letter) * self.row.letter_factor(square)
            for letter, square in zip(play.letters, play.squares())
        )
        total *= self.row.word_factor(play.squares())
        if len(play.letters) >= self._bonus_length:
            total += self._bonus
        return total
