"""Vaccines and what is usual for them."""

from dataclasses import dataclass
from datetime import date, timedelta


@dataclass
class Vaccine:
    code: str
    booster_days: int
    batch_of_the_day: str = "?"
    site: str = "left arm"

    def usual_booster(self, day):
        return day + timedelta(days=self.booster_days)


class Cabinet:
    """The vaccines a clinic has."""

    def __init__(self, *vaccines):
        self._vaccines = {vaccine.code: vaccine for vaccine in vaccines}

    def __getitem__(self, code):
        try:
            return self._vaccines[code]
        except KeyError:
            raise LookupError(f"no vaccine {code!r} in the cabinet") from None


def parse_day(text):
    return date.fromisoformat(text)
