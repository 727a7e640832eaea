"""The cloth that a draft gives."""

from draft import DraftError


def threading(kind, shafts, ends):
    """The shaft of each warp end: `straight` 1 2 3 4 1 2 .., `point` 1 2 3 4 3 2 1 .."""
    if kind == "straight":
        cycle = list(range(1, shafts + 1))
    elif kind == "point":
        cycle = [*range(1, shafts + 1), *range(shafts - 1, 1, -1)]
    else:
        raise DraftError(f"unknown threading {kind!r}")
    return [cycle[end % len(cycle)] for end in range(ends)]


def weave(draft, ends, kind="straight"):
    """Rows of cloth, `#` where the warp is on top."""
    shafts = threading(kind, draft.shafts, ends)
    return ["".join("#" if pick[shaft - 1] else "-" for shaft in shafts) for pick in draft.picks]


def floats(rows):
    """The longest run of equal signs in each row."""
    longest = []
    for row in rows:
        best = run = 1
        for left, right in zip(row, row[1:]):
            run = run + 1 if left == right else 1
            best = max(best, run)
        longest.append(best)
    return longest


def balance(rows):
    """Share of warp on top, in percent."""
    signs = "".join(rows)
    return round(100 * signs.count("#") / len(signs))
