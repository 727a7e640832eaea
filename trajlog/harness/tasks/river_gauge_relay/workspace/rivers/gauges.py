"""The gauges and their levels, from an ini file."""

import configparser
from dataclasses import dataclass


class ConfigError(ValueError):
    """A gauge that makes no sense."""


@dataclass(frozen=True)
class Gauge:
    """Levels in centimetres. The alarm is over when the level is below `alarm - slack`."""

    name: str
    river: str
    alarm: int
    slack: int = 10
    zero: int = 0


def read_gauges(text):
    parser = configparser.ConfigParser()
    parser.read_string(text)
    gauges = {}
    for name in parser.sections():
        section = parser[name]
        gauge = Gauge(
            name,
            section.get("river", "unknown"),
            section.getint("alarm", 0),
            section.getint("slack", 10),
            section.getint("zero", 0),
        )
        if gauge.alarm <= 0 or gauge.slack < 0:
            raise ConfigError(f"{name}: alarm {gauge.alarm}, slack {gauge.slack}")
        gauges[name] = gauge
    return gauges
