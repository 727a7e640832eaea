"""Two versions of a file as edits that `edit_file` accepts: pieces of text that stand once."""

import difflib
from collections.abc import Sequence

import msgspec


class Edit(msgspec.Struct, frozen=True):
    """Replace `old_str`, which stands exactly once when the edit's turn comes, by `new_str`."""

    old_str: str
    new_str: str
    line: int
    """First line of the change in the file as it is at that moment, counted from 1."""
    line_before: int
    """The same in the file before all edits."""


def edits(before: str, after: str) -> list[Edit]:
    """What turns `before` into `after`, in order.

    >>> edits("a = 1\\nb = 1\\n", "a = 1\\nb = 2\\n")
    [Edit(old_str='b = 1', new_str='b = 2', line=2, line_before=2)]
    """
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    found: list[Edit] = []
    for tag, i1, i2, j1, j2 in difflib.SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        now = [*new[:j1], *old[i1:]]  # the file when this edit's turn comes
        first, last = j1, j1 + i2 - i1
        while not _names_one_place(now, first, last):
            first, last = max(0, first - 1), min(len(now), last + (first == 0 or last - first > 2))
        pair = "".join(now[first:last]), "".join([*now[first:j1], *new[j1:j2], *now[j1 + i2 - i1 : last]])
        line, line_before = min(j1 + 1, len(now)), min(i1 + 1, len(old))
        found.append(Edit(*_without_last_newline(pair, "".join(now)), line, line_before))
    return found


def _names_one_place(lines: Sequence[str], first: int, last: int) -> bool:
    text, part = "".join(lines), "".join(lines[first:last])
    if (first, last) == (0, len(lines)):
        return True
    return bool(part.strip()) and text.count(part) == 1 and text.index(part) == len("".join(lines[:first]))


def _without_last_newline(pair: tuple[str, str], text: str) -> tuple[str, str]:
    short = pair[0].removesuffix("\n"), pair[1].removesuffix("\n")
    fits = pair[0].endswith("\n") and pair[1].endswith("\n") and text.count(short[0]) == 1
    return short if fits and text.index(short[0]) == text.index(pair[0]) else pair
