"""`shift MS FILE`, `check FILE`"""

from pathlib import Path

from subs.cues import overlaps, reading_speed, shifted
from subs.srt import dumps, loads


def main(argv, out):
    command, *rest = argv
    path = Path(rest[-1])
    cues = loads(path.read_text(encoding="utf-8"))
    if command == "shift":
        moved = shifted(cues, int(rest[0]))
        path.write_text(dumps(moved), encoding="utf-8")
        out.append(f"{len(moved)} cues shifted, {len(cues) - len(moved)} dropped")
        return 0
    if command == "check":
        out += [f"cue {number} overlaps" for number in overlaps(cues)]
        out += [f"cue {n} is fast: {reading_speed(cue)}/s" for n, cue in enumerate(cues, 1) if reading_speed(cue) > 20]
        return 1 if out else 0
    out.append(f"unknown command {command}")
    return 2
