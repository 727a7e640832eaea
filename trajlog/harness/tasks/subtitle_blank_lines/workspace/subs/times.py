"""Times of subtitles: milliseconds inside, `00:01:02,345` in files."""

import re

_TIME = re.compile(r"(\d+):([0-5]\d):([0-5]\d),(\d{3})")


def format_time(ms):
    if ms < 0:
        raise ValueError(f"{ms} ms is before the film")
    seconds, ms = divmod(ms, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours:02}:{minutes:02}:{seconds:02},{ms:03}"


def parse_time(text):
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise ValueError(f"bad time {text!r}")
    hours, minutes, seconds, ms = map(int, match.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * 1000 + ms
