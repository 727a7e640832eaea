"""What was agreed."""

from dataclasses import dataclass
from datetime import date


class TermsError(ValueError):
    pass


@dataclass(frozen=True)
class Terms:
    principal: int  # cents
    basis_points: int  # interest per year
    start: date
    instalments: int
    step: int = 1  # months
    grace: int = 0  # months before the first period begins

    def __post_init__(self):
        if self.principal <= 0 or self.instalments < 1:
            raise TermsError("nothing to pay back")
        if self.step not in (1, 3, 12):
            raise TermsError(f"no step of {self.step} months")
        if self.grace < 0 or self.basis_points < 0:
            raise TermsError("negative terms")

    @classmethod
    def parse(cls, text):
        """`1200.00 at 5.25% from 2024-01-31 in 12 [every 3] [grace 2]`"""
        words = text.split()
        if len(words) < 7 or words[1:7:2] != ["at", "from", "in"] or not words[2].endswith("%"):
            raise TermsError(f"cannot read {text!r}")
        options = dict(zip(words[7::2], map(int, words[8::2])))
        return cls(
            round(float(words[0]) * 100),
            round(float(words[2][:-1]) * 100),
            date.fromisoformat(words[4]),
            int(words[6]),
            options.get("every", 1),
            options.get("grace", 0),
        )
