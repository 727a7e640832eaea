"""Apply patches."""

from patchtool.errors import PatchFailed
from patchtool.hunk import read_patch
from patchtool.source import Source


def patched(source, hunks):
    """Yield the lines of the source with all hunks applied."""
    for number, hunk in enumerate(hunks, 1):
        while not source.starts_with(hunk.old):
            line = source.read()
            if line is None:
                raise PatchFailed(number, hunk)
            yield line
        source.read_many(len(hunk.old))
        yield from hunk.new
    while (line := source.read()) is not None:
        yield line


def apply(text, patch):
    hunks = read_patch(patch)
    return "\n".join(patched(Source(text.splitlines()), hunks))


def revert(text, patch):
    hunks = [hunk.reverse() for hunk in read_patch(patch)]
    return "\n".join(patched(Source(text.splitlines()), hunks))


def fits(text, patch):
    try:
        apply(text, patch)
    except PatchFailed:
        return False
    return True
