"""Samples made ready for display."""

from collections import deque


def smooth(samples, width=3):
    """Running mean over `width` samples; the first ones over as many as there are."""
    window = deque(maxlen=width)
    for sample in samples:
        window.append(sample)
        yield sum(window) / len(window)


def thin(samples, step):
    """Of every `step` samples the one that is farthest from zero."""
    piece = []
    for sample in samples:
        piece.append(sample)
        if len(piece) == step:
            yield max(piece, key=abs)
            piece = []
    if piece:
        yield max(piece, key=abs)


def without_offset(samples):
    samples = list(samples)
    middle = round(sum(samples) / len(samples)) if samples else 0
    return [sample - middle for sample in samples]
