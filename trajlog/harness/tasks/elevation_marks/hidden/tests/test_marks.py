from elevation.bits import pack_bits, unpack_bits
from elevation.files import from_bytes, to_bytes
from elevation.summary import road_book
from elevation.track import Track


def test_alpine_stage():
    track = Track("Queen stage")
    marks = {3: ["water"], 64: ["timing"], 66: ["feed", "water"], 69: ["feed"]}
    for number in range(75):
        track.add(number * 1000, 700 + 20.0 * number, *marks.get(number, ()))
    loaded = from_bytes(to_bytes(track))
    assert loaded.points == track.points
    assert road_book(loaded) == [
        "Queen stage: 74.0 km, 1480 m up", "  feed: km 66.0, km 69.0", "  timing: km 64.0",
        "  water: km 3.0, km 66.0", "  steepest: 2.0 % from km 0.0",
    ]


def test_every_length_up_to_a_block():
    seen = []
    for count in range(1, 20):
        track = Track("x")
        for number in range(count):
            track.add(number * 10, 1.0, *(["water"] if number == count // 2 else ()))
        seen += from_bytes(to_bytes(track)).marked("water")
    assert seen == [0, 10, 10, 20, 20, 30, 30, 40, 40, 50, 50, 60, 60, 70, 70, 80, 80, 90, 90]


def test_marks_close_to_the_start():
    track = Track("Sprint")
    for number in range(11):
        track.add(number * 100, 5.5, *(["feed"] if number in (1, 6) else ["timing"] if number == 10 else ()))
    loaded = from_bytes(to_bytes(track))
    assert [loaded.marked(mark) for mark in ("feed", "timing", "water")] == [[100, 600], [1000], []]


def test_written_bytes_and_back():
    values = [True, False, True, True, False, False, False, True, False, True, False]
    assert pack_bits(values) == b'\xb1@'
    assert [unpack_bits(pack_bits(values[:count]), count) for count in (3, 11)] == [
        [True, False, True], [True, False, True, True, False, False, False, True, False, True, False],
    ]
