"""The climate model: from a reading to the opening of a vent in per cent."""

from dataclasses import dataclass


class ModelError(ArithmeticError):
    """Readings that the model has no answer to."""


@dataclass(frozen=True)
class Reading:
    zone: str
    celsius: float
    humidity: int
    wind: int = 0


@dataclass(frozen=True)
class Settings:
    target: float = 22.0
    per_degree: int = 20
    humid_from: int = 85
    storm_from: int = 15


def wanted_opening(reading, settings=Settings()):
    """0 to 100, in steps of five."""
    if not 0 <= reading.humidity <= 100:
        raise ModelError(f"humidity {reading.humidity}")
    if reading.wind >= settings.storm_from:
        return 0
    opening = max(0.0, (reading.celsius - settings.target) * settings.per_degree)
    if reading.humidity >= settings.humid_from:
        opening = max(opening, 30.0)
    return min(100, int(opening / 5 + 0.5) * 5)
