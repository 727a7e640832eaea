import pytest
from observatory import Busy, Rack, Session, SessionError, Telescope
from observatory.program import run, statistics


@pytest.fixture
def log():
    return []


@pytest.fixture
def rack(log):
    rack = Rack(log)
    rack.add("red", 4, red=40, infra=12)
    rack.add("blue", 2, blue=30, visual=50)
    return rack


def test_plain_night(log, rack):
    with Session("Ada", Telescope("North", log), rack, "red") as session:
        assert session.observe("M31", 55, "red", count=2) == [600, 600]
    assert log == [
        'North dome opens', 'red on for Ada', 'North at M31', 'red off for Ada', 'North parked',
        'North dome closes',
    ]
    with pytest.raises(SessionError, match="no session of Ada is running"):
        session.observe("M31", 55, "red")


def test_change_of_camera(log, rack):
    with Session("Ada", Telescope("North", log), rack, "red") as session:
        session.change_camera("blue")
        assert (session.camera, rack.user("red"), rack.user("blue")) == ("blue", None, "Ada")
    assert [line for line in log if "red" in line or "blue" in line] == [
        "red on for Ada", "blue on for Ada", "red off for Ada", "blue off for Ada",
    ]


def test_busy_camera_at_the_start(log, rack):
    rack.take("red", "Zoe")
    with pytest.raises(Busy, match="Zoe has red"):
        with Session("Ada", Telescope("North", log), rack, "red"):
            pass
    assert log[-2:] == ["North parked", "North dome closes"]


def test_program(log, rack):
    with Session("Ada", Telescope("North", log), rack, "red") as session:
        results = run(session, "M31 55 red 60 x2\nM31 55 blue 60\n\nM8 11 red 60\nwhat now")
    assert results == ['M31 red [600, 600]', '! red has no blue filter', '! M8 is too low', '? what now']
    assert statistics(session.frames) == {("M31", "red"): (2, 600.0)}
