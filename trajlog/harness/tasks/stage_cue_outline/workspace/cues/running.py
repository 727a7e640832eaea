"""The running order, and what goes on at a moment."""

from cues.durations import clock


def running_order(sheet):
    lines = []
    scenes = list(sheet.scenes)
    for cue in sheet.cues:
        while scenes and scenes[0][0] <= cue.start and cue.scene != "-":
            lines.append(f"== {scenes.pop(0)[1]}")
        length = f" ({clock(cue.end - cue.start)})" if cue.end > cue.start else ""
        lines.append(f"{clock(cue.start)} {cue.what}{length}")
    return [*lines, f"{clock(sheet.end)} end"]


def active_at(sheet, seconds):
    return [cue.what for cue in sheet.cues if cue.start <= seconds < cue.end]


def busiest(sheet):
    """(number, time) of the moment with the most cues going on at once."""
    counts = [(len(active_at(sheet, cue.start)), -cue.start) for cue in sheet.cues]
    number, start = max(counts, default=(0, 0.0))
    return number, clock(-start)
