"""Letters and what they are worth."""

VALUES = {
    1: "AEIOULNSTR",
    2: "DG",
    3: "BCMP",
    4: "FHVWY",
    5: "K",
    8: "JX",
    10: "QZ",
}
POINTS = {letter: points for points, letters in VALUES.items() for letter in letters}
BLANK = "?"


class RackError(ValueError):
    """The rack has no such letters."""


def points(letter):
    """A small letter is a blank."""
    return POINTS.get(letter, 0)


class Rack:
    def __init__(self, letters):
        self.letters = sorted(letters.upper())

    def spell(self, word):
        """The word as it can be placed, blanks in small letters, or None."""
        left = list(self.letters)
        placed = []
        for letter in word.upper():
            if letter in left:
                left.remove(letter)
                placed.append(letter)
            elif BLANK in left:
                left.remove(BLANK)
                placed.append(letter.lower())
            else:
                return None
        return "".join(placed)

    def take(self, placed):
        left = list(self.letters)
        for letter in placed:
            wanted = BLANK if letter.islower() else letter
            if wanted not in left:
                raise RackError(f"no {wanted} in {''.join(self.letters)}")
            left.remove(wanted)
        self.letters = left
