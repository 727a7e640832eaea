"""Fits subtitles to another version of the film."""

from dataclasses import replace


def stretched(cues, old, new):
    """Times for another frame rate: what was made for `old` frames a second is shown at `new`."""
    return [replace(cue, start=round(cue.start * old / new), end=round(cue.end * old / new)) for cue in cues]


def fitted(cues, first, last):
    """Times such that the first cue starts at `first` and the last one at `last`."""
    if len(cues) < 2 or cues[0].start == cues[-1].start:
        raise ValueError("two cues at different times are needed")
    factor = (last - first) / (cues[-1].start - cues[0].start)
    origin = cues[0].start

    def moved(time):
        return first + round((time - origin) * factor)

    return [replace(cue, start=moved(cue.start), end=moved(cue.end)) for cue in cues]


def merged(cues, gap=0):
    """Cues with the same text that follow each other within `gap` become one."""
    found = []
    for cue in cues:
        if found and found[-1].text == cue.text and cue.start - found[-1].end <= gap:
            found[-1] = replace(found[-1], end=cue.end)
        else:
            found.append(cue)
    return found
