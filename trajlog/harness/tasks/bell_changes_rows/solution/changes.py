"""Bell ringing: rows and the changes between them."""

PLAIN = "plain"
BOB = "bob"


class ChangeError(ValueError):
    """A change that cannot be rung."""


def swap(row, places):
    """Ring one change: bells next to each other swap, those in `places` (from 1) stay."""
    if any(not 1 <= place <= len(row) for place in places):
        raise ChangeError(f"no such place among {len(row)} bells: {places}")
    position = 0
    while position < len(row) - 1:
        if position + 1 in places or position + 2 in places:
            position += 1
        else:
            row[position], row[position + 1] = row[position + 1], row[position]
            position += 2
    return row


def rounds(bells):
    return list(range(1, bells + 1))


def plain_hunt(bells):
    """Rows from rounds to rounds."""
    row = rounds(bells)
    yield row[:]
    for number in range(2 * bells):
        if bells % 2:
            places = (bells,) if number % 2 == 0 else (1,)
        else:
            places = () if number % 2 == 0 else (1, bells)
        swap(row, places)
        yield row[:]


def touch(bells, leads):
    """Rows of a touch: for every lead, plain or with a bob, one hunt up to its last change."""
    row = rounds(bells)
    yield row[:]
    for lead in leads:
        if lead not in (PLAIN, BOB):
            raise ChangeError(f"unknown call {lead!r}")
        for number in range(2 * bells):
            last = number == 2 * bells - 1
            if number % 2 == 0:
                places = ()
            elif last:
                places = (1, 4) if lead == BOB else (1, 2)
            else:
                places = (1, bells)
            swap(row, places)
            yield row[:]


def is_true(rows):
    """No row may come twice, but for the rounds at both ends."""
    rows = list(rows)
    if rows and rows[0] == rows[-1]:
        rows.pop()
    return all(row not in rows[:number] for number, row in enumerate(rows))


def printed(rows):
    return ["".join("1234567890ET"[bell - 1] for bell in row) for row in list(rows)]
