"""The scale of third stops. Time mark 0 is one second, aperture mark 0 is f/1; higher marks have less light."""

import math

THIRDS = 3
TIME_NAMES = {
    0: '1"', 1: '0.8"', 2: '0.6"', 3: "1/2", 4: "0.4\"", 5: "1/3", 6: "1/4", 7: "1/5", 8: "1/6", 9: "1/8",
    10: "1/10", 11: "1/13", 12: "1/15", 13: "1/20", 14: "1/25", 15: "1/30", 16: "1/40", 17: "1/50", 18: "1/60",
    19: "1/80", 20: "1/100", 21: "1/125", 22: "1/160", 23: "1/200", 24: "1/250", 25: "1/320", 26: "1/400",
    27: "1/500", 28: "1/640", 29: "1/800", 30: "1/1000",
    -1: '1.3"', -2: '1.6"', -3: '2"', -4: '2.5"', -5: '3"', -6: '4"', -7: '5"', -8: '6"', -9: '8"', -10: '10"',
    -11: '13"', -12: '15"', -13: '20"', -14: '25"', -15: '30"',
}
APERTURES = {
    -2: "0.8", -1: "0.9", 0: "1", 1: "1.1", 2: "1.2", 3: "1.4", 4: "1.6", 5: "1.8", 6: "2", 7: "2.2", 8: "2.5",
    9: "2.8", 10: "3.2", 11: "3.5", 12: "4", 13: "4.5", 14: "5", 15: "5.6", 16: "6.3", 17: "7.1", 18: "8", 19: "9",
    20: "10", 21: "11", 22: "13", 23: "14", 24: "16", 25: "18", 26: "20", 27: "22",
}


class ScaleError(ValueError):
    """A value that no camera has."""


def to_mark(stops):
    """The nearest mark for a number of stops; half way goes to more light."""
    mark = math.ceil(abs(stops) * THIRDS - 0.5)
    return mark if stops >= 0 else -mark


def time_mark(seconds):
    if seconds <= 0:
        raise ScaleError(f"no time: {seconds}")
    return to_mark(round(-math.log2(seconds), 9))


def aperture_mark(number):
    if number <= 0:
        raise ScaleError(f"no aperture: {number}")
    return to_mark(round(2 * math.log2(number), 9))


def time_name(mark):
    if mark in TIME_NAMES:
        return TIME_NAMES[mark]
    seconds = 2 ** (-mark / THIRDS)
    if mark > 0:
        return f"1/{round(1 / seconds, -2):.0f}"
    if seconds < 59:
        return f'{seconds:.0f}"'
    return f"{seconds / 60:.2g}m"


def aperture_name(mark):
    if mark not in APERTURES:
        raise ScaleError(f"no aperture at {mark}")
    return f"f/{APERTURES[mark]}"
