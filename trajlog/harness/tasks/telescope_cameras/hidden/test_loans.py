import pytest
from observatory import Busy, CameraError, Rack, Session, Telescope
from observatory.program import run


def made():
    log = []
    rack = Rack(log)
    for name, pixels in (("red", 4), ("blue", 2), ("wide", 8)):
        rack.add(name, pixels, clear=100)
    return log, rack, Telescope("North", log), Telescope("South", log)


def test_camera_taken_over_by_another_session():
    log, rack, north, south = made()
    with Session("Ben", south, rack, "wide") as ben:
        with Session("Ada", north, rack, "red") as ada:
            ada.change_camera("blue")
            ben.change_camera("red")
        values = ben.observe("M13", 70, "clear", 40)
        users = [rack.user(name) for name in ("red", "blue", "wide")]
        with pytest.raises(Busy) as refused:
            rack.take("red", "Cyd")
    assert (values, users, str(refused.value), log) == (
        [1000], ['Ben', None, None], 'Ben has red',
        ['South dome opens', 'wide on for Ben', 'North dome opens', 'red on for Ada',
        'blue on for Ada', 'red off for Ada', 'red on for Ben', 'wide off for Ben',
        'blue off for Ada', 'North parked', 'North dome closes', 'South at M13', 'red off for Ben',
        'South parked', 'South dome closes'],
    )


def test_forth_and_back():
    log, rack, north, _ = made()
    with Session("Ada", north, rack, "red") as ada:
        results = run(ada, "camera blue\nM1 40 clear 8\ncamera red\ncamera red\nM1 40 clear 8")
    assert (results, log) == (
        ['camera blue', 'M1 clear [400]', 'camera red', 'camera red', 'M1 clear [200]'],
        ['North dome opens', 'red on for Ada', 'blue on for Ada', 'red off for Ada', 'North at M1',
        'red on for Ada', 'blue off for Ada', 'red off for Ada', 'North parked',
        'North dome closes'],
    )


def test_other_camera_is_busy():
    log, rack, north, _ = made()
    rack.take("blue", "Zoe")
    with Session("Ada", north, rack, "red") as ada:
        results = run(ada, "camera blue\ncamera green\nM1 40 clear 60")
        users = rack.user("red"), rack.user("blue")
    assert (results, users, rack.user("red"), log[-3:]) == (
        ['! Zoe has blue', '! no camera green', 'M1 clear [1500]'], ('Ada', 'Zoe'), None,
        ['red off for Ada', 'North parked', 'North dome closes'],
    )


def test_error_after_a_change():
    log, rack, north, _ = made()
    with pytest.raises(CameraError, match="blue has no infra filter"):
        with Session("Ada", north, rack, "red") as ada:
            ada.change_camera("blue")
            ada.observe("M1", 33, "infra")
    assert (log, north.is_parked, north.is_open) == (
        ['North dome opens', 'red on for Ada', 'blue on for Ada', 'red off for Ada', 'North at M1',
        'blue off for Ada', 'North parked', 'North dome closes'],
        True, False,
    )


def test_two_nights():
    log, rack, north, _ = made()
    session = Session("Ada", north, rack, "red")
    for name in ("blue", "wide"):
        with session:
            session.change_camera(name)
            session.observe("M5", 50, "clear", 16)
    cameras = [line for line in log if " for " in line]
    assert (cameras, [(frame.camera, frame.value) for frame in session.frames], session.camera) == (
        ['red on for Ada', 'blue on for Ada', 'red off for Ada', 'blue off for Ada', 'red on for Ada',
        'wide on for Ada', 'red off for Ada', 'wide off for Ada'],
        [('blue', 800), ('wide', 200)], None,
    )
