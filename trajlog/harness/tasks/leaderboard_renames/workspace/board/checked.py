"""Streams that must be in order."""


class OutOfOrder(ValueError):
    """An entry that is older than the one before it."""


def in_order(stream, what):
    last = None
    for entry in stream:
        if last is not None and entry.at < last:
            raise OutOfOrder(f"{what} at {entry.at} after {last}")
        last = entry.at
        yield entry
