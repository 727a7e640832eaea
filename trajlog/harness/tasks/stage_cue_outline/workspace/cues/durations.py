"""Durations: `4s`, `1m`, `1m30s`, `0.5s`, and clock times `2:05`."""

import re

_PARTS = re.compile(r"(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?")
_CLOCK = re.compile(r"(\d+):([0-5]\d)")


def is_duration(text):
    match = _PARTS.fullmatch(text)
    return match is not None and any(match.groups())


def parse_duration(text):
    if not is_duration(text):
        raise ValueError(f"bad duration {text!r}")
    minutes, seconds = _PARTS.fullmatch(text).groups()
    return 60.0 * int(minutes or 0) + float(seconds or 0)


def parse_clock(text):
    match = _CLOCK.fullmatch(text)
    if match is None:
        raise ValueError(f"bad time {text!r}")
    minutes, seconds = map(int, match.groups())
    return 60.0 * minutes + seconds


def clock(seconds):
    minutes, rest = divmod(seconds, 60)
    return f"{int(minutes)}:{rest:04.1f}" if rest % 1 else f"{int(minutes)}:{int(rest):02}"
