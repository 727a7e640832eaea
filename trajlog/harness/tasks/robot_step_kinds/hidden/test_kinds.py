import json
from dataclasses import dataclass

from robot.force import GuardedMove, TouchPause, ZeroForce
from robot.listing import listing
from robot.program import Program
from robot.steps import KINDS, Grip, Motion, Move, Pause
from robot.store import dumps, loads


def test_guarded_and_plain_moves_in_one_program():
    program = Program("press").add(Move((0, 0, 500)), GuardedMove((0, 0, 250), 50, 8.5), Pause(1.0))
    assert listing(loads(dumps(program))) == [
        "program press (13.0 s)", "  Move target=0/0/500 speed=250",
        "  GuardedMove target=0/0/250 speed=50 limit=8.5", "  Pause for_seconds=1.0",
    ]


def test_kinds_in_the_file():
    program = Program("all").add(Move((1, 2, 3)), GuardedMove((1, 2, 3)), TouchPause(1.0), ZeroForce(), Grip(4.0))
    assert [step["kind"] for step in json.loads(dumps(program))["steps"]] == [
        "move", "guarded_move", "touch", "zero_force", "gripper",
    ]


def test_old_file_and_a_second_round():
    steps = '[{"kind": "move", "target": [9, 0, 0], "speed": 3}]'
    once = loads(f'{{"version": 2, "name": "old", "steps": {steps}, "subprograms": {{}}}}')
    twice = loads(dumps(once))
    assert [(type(p.steps[0]).__name__, p.steps[0].target, p.seconds()) for p in (once, twice)] == [
        ("Move", (9, 0, 0), 3.0), ("Move", (9, 0, 0), 3.0),
    ]


def test_own_steps_below_other_steps():
    class Swing(Motion, abstract=True):
        pass

    @dataclass
    class SlowSwing(Swing):
        target: tuple
        speed: int = 20

    @dataclass
    class FastGrip(Grip):
        closing_time = 0.1

    try:
        program = Program("mine").add(SlowSwing((0, 40, 0)), FastGrip(2.0), Grip(3.0))
        assert listing(loads(dumps(program))) == [
            "program mine (2.5 s)", "  SlowSwing target=0/40/0 speed=20", "  FastGrip width=2.0",
            "  Grip width=3.0",
        ]
        assert "swing" not in KINDS
    finally:
        KINDS.pop("slow_swing", None)
        KINDS.pop("fast_grip", None)
        KINDS["gripper"] = Grip
