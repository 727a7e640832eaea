"""A row of squares, some with a bonus."""


class Row:
    """Signs: `.` plain, `d` double letter, `t` triple letter, `D` double word, `T` triple word."""

    def __init__(self, signs):
        self.signs = signs

    def __len__(self):
        return len(self.signs)

    def letter_factor(self, square):
        return {"d": 2, "t": 3}.get(self.signs[square], 1)

    def word_factor(self, squares):
        factor = 1
        for square in squares:
            factor *= {"D": 2, "T": 3}.get(self.signs[square], 1)
        return factor

    def fits(self, play):
        return play.start >= 0 and play.start + len(play.letters) <= len(self)
