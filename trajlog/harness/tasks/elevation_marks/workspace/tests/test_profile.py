import pytest

from elevation.blocks import ProfileError
from elevation.files import from_bytes, load, save, to_bytes
from elevation.summary import road_book
from elevation.track import Track


@pytest.fixture
def prologue():
    track = Track("Prologue")
    for metres, height in [(0, 410.0), (600, 422.5), (1100, 450.2), (1800, 448.0), (2400, 431.4)]:
        track.add(metres, height, *(["feed"] if metres == 0 else ()))
    return track


def test_marks_of_a_short_route(prologue, tmp_path):
    save(prologue, tmp_path / "prologue.elp")
    assert load(tmp_path / "prologue.elp").marked("feed") == [0]
    assert road_book(load(tmp_path / "prologue.elp")) == [
        "Prologue: 2.4 km, 40 m up",
        "  feed: km 0.0",
        "  steepest: 5.5 % from km 0.6",
    ]


def test_full_blocks():
    track = Track("Circuit")
    for number in range(128):
        track.add(number * 50, 200 + number % 7, *(["timing"] if number % 50 == 0 else ()))
    assert from_bytes(to_bytes(track)).marked("timing") == [0, 2500, 5000]


def test_heights_come_back(prologue):
    assert [point.height for point in from_bytes(to_bytes(prologue)).points] == [410.0, 422.5, 450.2, 448.0, 431.4]


def test_cut_file_is_refused(prologue):
    with pytest.raises(ProfileError, match="ends within a block"):
        from_bytes(to_bytes(prologue)[:-2])


def test_gap_that_does_not_fit():
    with pytest.raises(ProfileError, match="too far from 0 m to 70000 m"):
        to_bytes(Track("Ferry").add(0, 1.0).add(70000, 1.0))
