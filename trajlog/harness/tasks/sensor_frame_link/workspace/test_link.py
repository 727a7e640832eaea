from link.crc import crc8
from link.framing import FrameReader, encode_frame
from link.history import History
from link.readings import Logger, Reading


def test_check_value_of_the_data_sheet():
    assert crc8(b"123456789") == 0xF4


def test_reading_comes_back():
    logger = Logger()
    logger.receive(Reading(3, 17, (21.5, -0.25, 1.26)).encode())
    assert [(r.probe, r.sequence, r.values) for r in logger.readings] == [(3, 17, (21.5, -0.25, 1.26))]


def test_payload_of_flags_in_small_chunks():
    reader = FrameReader()
    wire = encode_frame(1, b"\x7e\x7d\x5e\x5d~~")
    frames = [frame for i in range(len(wire)) for frame in reader.feed(wire[i:i + 1])]
    assert frames == [(1, b"\x7e\x7d\x5e\x5d~~")]


def test_no_gap_in_a_long_run():
    logger = Logger()
    for sequence in range(200):
        logger.receive(Reading(1, sequence, (-3.5,)).encode())
    assert (len(logger.readings), logger.stats.damaged, logger.gaps) == (200, 0, [])


def test_damaged_frame_is_counted():
    reader = FrameReader()
    wire = bytearray(encode_frame(1, b"abc"))
    wire[2] ^= 1
    assert reader.feed(bytes(wire) + encode_frame(1, b"abd")) == [(1, b"abd")]
    assert reader.stats.damaged == 1


def test_history_and_alarms():
    history = History(size=3)
    history.set_limits(2, 1, 0.0, 5.0)
    logger = Logger()
    for sequence, value in enumerate((1.5, 6.25, 2.0, 3.0)):
        logger.receive(Reading(2, sequence, (20.0, value)).encode())
    for reading in logger.readings:
        history.add(reading)
    assert history.summary(2, 1) == (3, 2.0, 3.75, 6.25)
    assert [(alarm.sequence, alarm.value) for alarm in history.alarms] == [(1, 6.25)]
