"""What is done with hits before they are shown. These functions work on the list that they are given."""

import re


def boost(hits, pinned, factor=2):
    for hit in hits:
        if hit.number in pinned:
            hit.score = round(hit.score * factor, 3)
    hits.sort(key=lambda hit: (-hit.score, hit.number))
    return hits


def newest_first(hits):
    hits.sort(key=lambda hit: (-hit.day, hit.number))
    return hits


def take_page(hits, page, size):
    """Cuts one page out of the list; returns it and how many hits the other pages have."""
    start = (page - 1) * size
    shown = hits[start:start + size]
    del hits[start:start + size]
    return shown, len(hits)


def mark(hits, wanted):
    pattern = re.compile("|".join(sorted(map(re.escape, wanted), key=len, reverse=True)), re.IGNORECASE)
    for hit in hits:
        hit.pieces[:] = [pattern.sub(lambda match: f"**{match.group()}**", piece) for piece in hit.pieces]
    return hits
