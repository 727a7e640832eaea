"""What parking costs."""

from configparser import ConfigParser
from dataclasses import dataclass

MINUTES_PER_DAY = 24 * 60


@dataclass(frozen=True)
class Tariff:
    zone: str
    unit_minutes: int
    unit_cents: int
    free_minutes: int
    cap_cents: int

    def units(self, minutes):
        """Started units."""
        return max(1, round(minutes / self.unit_minutes))

    def fee(self, minutes):
        """Cents for a stay of so many minutes."""
        if minutes <= self.free_minutes:
            return 0
        days, rest = divmod(minutes, MINUTES_PER_DAY)
        return days * self.cap_cents + min(self.cap_cents, self.units(rest) * self.unit_cents)


def load(path):
    """Tariff by zone."""
    parser = ConfigParser()
    with open(path, encoding="utf-8") as file:
        parser.read_file(file)
    tariffs = {}
    for zone in parser.sections():
        numbers = {key: int(value) for key, value in parser[zone].items()}
        tariffs[zone] = Tariff(zone, **numbers)
    return tariffs
