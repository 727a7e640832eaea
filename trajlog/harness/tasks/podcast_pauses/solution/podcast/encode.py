"""The format of a segment: a head, frames, gaps, an end."""

GAP = object()
MODULUS = 65521


def add_to_check(check, frame):
    return (check * 31 + frame) % MODULUS


def encoder(file, track, number):
    """Takes frames and GAP by `send`, which returns the number of frames so far; closing it writes the end."""
    file.append(f"head {track} {number}")
    count = check = 0
    gap = False
    try:
        while True:
            frame = yield count
            if frame is GAP:
                gap = count > 0
                continue
            if gap:
                file.append("gap")
                gap = False
            file.append(f"frame {frame}")
            count += 1
            check = add_to_check(check, frame)
    finally:
        file.append(f"end {count} {check}")
        file.close()
