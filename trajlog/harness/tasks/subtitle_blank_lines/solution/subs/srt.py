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
    if lines[-1] == "":
        lines.pop()
    heads = [place for place in range(len(lines)) if _is_head(lines, place)]
    if lines and (not heads or heads[0] != 0):
        raise SubtitleError(f"bad number {lines[0]!r}")
    cues = []
    for place, end in zip(heads, [*heads[1:], len(lines)], strict=True):
        body = lines[place + 2 : end]
        if body and body[-1] == "":
            body.pop()
        cues.append(_cue(lines[place + 1], body))
    return cues


def _is_head(lines, place):
    """Whether a cue begins here: a number and times, at the start or after a blank line."""
    if place and lines[place - 1] != "":
        return False
    return lines[place].strip().isdigit() and place + 1 < len(lines) and ARROW in lines[place + 1]


def _cue(times, body):
    start, arrow, end = times.partition(ARROW)
    if not arrow:
        raise SubtitleError(f"bad times {times!r}")
    try:
        return Cue(parse_time(start), parse_time(end), "\n".join(body))
    except ValueError as problem:
        raise SubtitleError(f"bad times {times!r}: {problem}") from None
