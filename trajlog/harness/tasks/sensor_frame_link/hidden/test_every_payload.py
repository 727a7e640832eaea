from link.framing import FLAG, FrameReader, encode_frame
from link.readings import Logger, Reading


def test_all_two_byte_payloads():
    reader = FrameReader()
    lost = []
    for number in range(0x10000):
        payload = number.to_bytes(2, "big")
        if reader.feed(encode_frame(9, payload)) != [(9, payload)]:
            lost.append(payload)
    assert (lost, reader.stats.received, reader.stats.damaged) == ([], 65536, 0)


def test_flag_stands_between_frames_only():
    wires = [encode_frame(2, bytes([number])) for number in range(256)]
    assert sum(wire[1:-1].count(FLAG) for wire in wires) + sum(wire.count(FLAG) for wire in wires) == 512


def test_sizes_on_the_line():
    sizes = {}
    for number in range(256):
        size = len(encode_frame(2, bytes([number])))
        sizes[size] = sizes.get(size, 0) + 1
    assert sizes == {5: 252, 6: 4}


def test_stream_in_odd_chunks():
    wire = b"".join(Reading(5, number, (number / 100, -number / 100)).encode() for number in range(600))
    logger = Logger()
    for start in range(0, len(wire), 7):
        logger.receive(wire[start:start + 7])
    assert (len(logger.readings), logger.gaps, logger.stats.received) == (600, [], 600)


def test_damaged_frame_between_good_ones():
    bad = bytearray(encode_frame(1, b"m\x7e"))
    bad[1] ^= 4
    reader = FrameReader()
    got = reader.feed(encode_frame(1, b"first") + bytes(bad) + encode_frame(1, b"last"))
    assert (got, reader.stats.damaged) == ([(1, b"first"), (1, b"last")], 1)
