"""Add-on: steps that mind the force at the wrist."""

from dataclasses import dataclass

from robot.steps import Move, Pause, Step


@dataclass
class GuardedMove(Move):
    """A move that stops when something pushes back."""

    limit: float = 5.0

    def seconds(self, at):
        return super().seconds(at) * 2


@dataclass
class TouchPause(Pause):
    """Wait until touched, at most so long."""

    newtons: float = 2.0

    kind = "touch"


@dataclass
class ZeroForce(Step):
    def seconds(self, at):
        return 1.5
