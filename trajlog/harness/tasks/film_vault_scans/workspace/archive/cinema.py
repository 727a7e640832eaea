"""Evenings in the little cinema of the archive."""

from dataclasses import dataclass, field

BREAK_MINUTES = 15
REEL_CHANGE = 2


class EveningFull(ValueError):
    """The film does not fit any more."""


@dataclass
class Evening:
    """Films that are shown one after the other, with a break between them."""

    limit: int = 240
    reels: list = field(default_factory=list)

    def minutes(self):
        total = 0.0
        for number, reel in enumerate(self.reels):
            same_film = number and self.reels[number - 1].title == reel.title
            total += reel.minutes() + (REEL_CHANGE if same_film else BREAK_MINUTES if number else 0)
        return round(total, 1)

    def add(self, reel):
        longer = Evening(self.limit, [*self.reels, reel])
        if longer.minutes() > self.limit:
            raise EveningFull(f"{reel.title} would end after {self.limit} minutes")
        self.reels.append(reel)

    def starts(self, opening=19 * 60):
        """Pairs of clock time and title, one for each reel."""
        times, now = [], float(opening)
        for number, reel in enumerate(self.reels):
            if number:
                now += REEL_CHANGE if self.reels[number - 1].title == reel.title else BREAK_MINUTES
            times.append((f"{int(now) // 60:02}:{int(now) % 60:02}", reel.title))
            now += reel.minutes()
        return times
