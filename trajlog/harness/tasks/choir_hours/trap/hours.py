"""Rehearsal hours from stays. A stay `(begin, end)` is in minutes and does not hold its end."""


class StayError(ValueError):
    """A stay that ends before it begins."""


def merged(stays):
    """The same minutes as few separate stays in order."""
    result, before = [], 0
    for begin, end in sorted(stays):
        if end < begin:
            raise StayError(f"{show(begin)} to {show(end)}")
        if begin == end:
            continue
        if result and begin <= result[-1][1]:
            result[-1] = (result[-1][0], max(before, end))
        else:
            result.append((begin, end))
        before = end
    return result


def without(stays, breaks):
    """What the breaks leave of the stays."""
    result = []
    breaks = merged(breaks)
    for begin, end in merged(stays):
        for pause, go_on in breaks:
            if go_on <= begin or pause >= end:
                continue
            if begin < pause:
                result.append((begin, pause))
            begin = go_on
        if begin < end:
            result.append((begin, end))
    return result


def minutes(stays):
    return sum(end - begin for begin, end in stays)


def show(minute):
    return f"{minute // 60}:{minute % 60:02}"
