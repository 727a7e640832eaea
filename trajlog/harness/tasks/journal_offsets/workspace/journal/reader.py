"""Reading entries from an open file."""

from journal.frame import HEADER, TAIL, FrameError, TornFrame, decode_header, decode_payload


def read_one(file):
    """Number and text of the entry at the file's position, or None at the end of the file."""
    head = file.read(HEADER.size)
    if not head:
        return None
    number, length, checksum = decode_header(head)
    text = decode_payload(number, length, checksum, file.read(length + len(TAIL)))
    return number, text


def read_all(file):
    """Every entry from the start. A torn entry at the end, left by a crash, ends the journal."""
    file.seek(0)
    expected = 0
    while True:
        try:
            found = read_one(file)
        except TornFrame:
            return
        if found is None:
            return
        number, text = found
        if number != expected:
            raise FrameError(f"expected entry {expected}, found {number}")
        yield number, text
        expected += 1


def read_at(file, start, number):
    """Text of entry `number`, which starts at byte `start`."""
    file.seek(start)
    found = read_one(file)
    if found is None or found[0] != number:
        raise FrameError(f"entry {number} is not at byte {start}")
    return found[1]
