"""Steps of a robot program. Subclasses register themselves, so add-on packages only have to be imported."""

import re
from dataclasses import dataclass, fields

KINDS = {}


class UnknownKind(LookupError):
    """A step that no imported package knows."""


def snake_case(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


class Step:
    """One step. `kind` is its name in files; without one of its own a class goes by its name."""

    kind = None

    def __init_subclass__(cls, abstract=False, **more):
        super().__init_subclass__(**more)
        if abstract:
            return
        if not cls.kind:
            cls.kind = snake_case(cls.__name__)
        KINDS[cls.kind] = cls

    def seconds(self, at):
        """Time the step takes when the arm is `at` a position."""
        return 0.0

    def end(self, at):
        """Where the arm is afterwards."""
        return at

    def plain(self):
        """The fields, for files."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def step_class(kind):
    try:
        return KINDS[kind]
    except KeyError:
        raise UnknownKind(f"no step of kind {kind!r}; known are {', '.join(sorted(KINDS))}") from None


class Motion(Step, abstract=True):
    """Steps that end at `target`."""

    speed = 250

    def seconds(self, at):
        distance = sum((a - b) ** 2 for a, b in zip(at, self.target, strict=True)) ** 0.5
        return distance / self.speed

    def end(self, at):
        return tuple(self.target)


@dataclass
class Move(Motion):
    target: tuple
    speed: int = 250

    kind = "move"


@dataclass
class Pause(Step):
    for_seconds: float

    kind = "wait"

    def seconds(self, at):
        return self.for_seconds


@dataclass
class Grip(Step):
    width: float
    closing_time = 0.4

    kind = "gripper"

    def seconds(self, at):
        return self.closing_time
