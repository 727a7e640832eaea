"""Reels of film."""

from dataclasses import dataclass

from vault.errors import Damaged


@dataclass(frozen=True)
class Reel:
    code: str
    title: str
    year: int
    metres: int
    broken: bool = False

    def minutes(self, frames_per_second=24):
        """Playing time of 35 mm film, which has 52.5 frames a metre."""
        if self.broken:
            raise Damaged(self.code)
        return round(self.metres * 52.5 / frames_per_second / 60, 1)

    @classmethod
    def parse(cls, text):
        """`R7 Metropolis, 1927, 4189` with a `!` at the end if the reel is broken."""
        broken = text.endswith("!")
        head, year, metres = text.rstrip("!").rsplit(",", 2)
        code, _, title = head.partition(" ")
        return cls(code, title.strip(), int(year), int(metres), broken)
