"""Cues in .srt files: number, times, lines of text, one blank line."""

from subs.cues import Cue
from subs.times import format_time, parse_time

ARROW = " --> "


class SubtitleError(ValueError):
    """Text that is no list of cues."""


def dumps(cues):
    out = []
    for number, cue in enumerate(cues, 1):
        out += [str(number), format_time(cue.start) + ARROW + format_time(cue.end), *cue.lines, ""]
    return "\n".join(out) + "\n" if out else ""


def loads(text):
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    cues = []
    place = 0
    while place < len(lines):
        if lines[place] == "":
            place += 1
            continue
        if not lines[place].strip().isdigit():
            raise SubtitleError(f"bad number {lines[place]!r}")
        times = lines[place + 1] if place + 1 < len(lines) else ""
        end = place + 2
        while end < len(lines):
            following = next(filter(None, lines[end:]), "1")
            if lines[end] == "" and following.strip().isdigit():
                break
            end += 1
        cues.append(_cue(times, lines[place + 2 : end]))
        place = end
    return cues


def _cue(times, body):
    start, arrow, end = times.partition(ARROW)
    if not arrow:
        raise SubtitleError(f"bad times {times!r}")
    try:
        return Cue(parse_time(start), parse_time(end), "\n".join(body))
    except ValueError as problem:
        raise SubtitleError(f"bad times {times!r}: {problem}") from None
