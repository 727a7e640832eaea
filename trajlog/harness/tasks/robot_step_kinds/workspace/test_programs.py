import pytest
from robot import force
from robot.limits import Cell, findings
from robot.listing import listing
from robot.program import Call, Program
from robot.steps import Grip, Move, Pause, UnknownKind
from robot.store import StoreError, dumps, loads


@pytest.fixture
def pick():
    pick = Program("pick", subprograms={"tap": [Grip(10.0), Pause(0.1)]})
    return pick.add(Move((300, 0, 400)), Call("tap", 2), Move((0, 0, 400), speed=100))


def test_moves_come_back_as_moves(pick):
    assert listing(loads(dumps(pick))) == [
        "program pick (6.0 s)",
        "  Move target=300/0/400 speed=250",
        "  call tap x2",
        "  Move target=0/0/400 speed=100",
        "  sub tap",
        "    Grip width=10.0",
        "    Pause for_seconds=0.1",
    ]


def test_add_on_steps_come_back():
    program = Program("feel").add(force.TouchPause(3.0, newtons=1.5), force.ZeroForce())
    assert listing(loads(dumps(program)))[1:] == ["  TouchPause for_seconds=3.0 newtons=1.5", "  ZeroForce"]


def test_unknown_steps_are_named():
    text = '{"version": 2, "name": "x", "steps": [{"kind": "paint"}], "subprograms": {}}'
    with pytest.raises(UnknownKind, match="no step of kind 'paint'"):
        loads(text)


def test_missing_fields_are_reported():
    text = '{"version": 2, "name": "x", "steps": [{"kind": "gripper"}], "subprograms": {}}'
    with pytest.raises(StoreError, match="bad gripper"):
        loads(text)


def test_endless_calls_are_refused(pick):
    pick.subprograms["tap"].append(Call("tap"))
    with pytest.raises(RecursionError, match="tap calls itself"):
        pick.seconds()


def test_findings(pick):
    pick.add(Move((0, 700, 30), speed=900), force.ZeroForce())
    assert [line.partition(": ")[2] for line in findings(pick, Cell(guard_below=50))] == [
        "0/700/30 is outside",
        "speed 900",
        "no guard at height 30",
    ]
