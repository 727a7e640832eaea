"""Plays: letters in a row of squares."""


class Play:
    """Plays are equal if they make the same word in the same place, with or without blanks."""

    def __init__(self, letters, start=0):
        self.letters = letters
        self.start = start

    @property
    def word(self):
        return self.letters.upper()

    def __eq__(self, other):
        if not isinstance(other, Play):
            return NotImplemented
        return (self.word, self.start) == (other.word, other.start)

    def __hash__(self):
        return hash((self.word, self.start))

    def __repr__(self):
        return f"{self.letters}@{self.start}"

    def squares(self):
        return range(self.start, self.start + len(self.letters))
