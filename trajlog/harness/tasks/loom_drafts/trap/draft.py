"""Weaving drafts: which shafts are lifted at each pick."""


class DraftError(ValueError):
    """The draft cannot be woven like that."""


class Draft:
    """A number of shafts and a row of picks; a pick is a list of 0 (down) and 1 (lifted) per shaft."""

    def __init__(self, shafts, picks=()):
        self.shafts = shafts
        self.picks = list(picks)
        for number, pick in enumerate(self.picks, start=1):
            self._check(number, pick)

    @classmethod
    def of(cls, text):
        """Read lines such as `x.x.`; the first line is the first pick."""
        lines = [line.strip() for line in text.split() if line.strip()]
        if not lines:
            raise DraftError("empty draft")
        return cls(len(lines[0]), [[int(sign == "x") for sign in line] for line in lines])

    def add(self, pick):
        self._check(len(self.picks) + 1, pick)
        self.picks.append(list(pick))

    def _check(self, number, pick):
        if len(pick) != self.shafts:
            raise DraftError(f"pick {number} has {len(pick)} shafts, not {self.shafts}")

    def lift(self, pick, shaft):
        self._set(pick, shaft, 1)

    def drop(self, pick, shaft):
        self._set(pick, shaft, 0)

    def _set(self, pick, shaft, value):
        if not (1 <= pick <= len(self.picks) and 1 <= shaft <= self.shafts):
            raise DraftError(f"no pick {pick} or shaft {shaft}")
        self.picks[pick - 1][shaft - 1] = value

    def _made(self, picks):
        return Draft(self.shafts, picks)

    def part(self, first, last):
        """The picks `first` to `last`, both included."""
        return self._made(self.picks[first - 1 : last])

    def repeat(self, times):
        return self._made([list(pick) for _ in range(times) for pick in self.picks])

    def mirror(self):
        """The draft and its reflection; the point is woven once."""
        return self._made(self.picks + self.picks[-2::-1])

    def join(self, other):
        if other.shafts != self.shafts:
            raise DraftError(f"{other.shafts} shafts do not fit {self.shafts}")
        return self._made([*self.picks, *other.picks])

    def text(self):
        return "\n".join("".join(".x"[lifted] for lifted in pick) for pick in self.picks)
