"""Flight plans: one command a line."""

from dataclasses import dataclass


class PlanError(ValueError):
    """The plan cannot be flown."""


@dataclass(frozen=True)
class TakeOff:
    height: int


@dataclass(frozen=True)
class Fly:
    goal: tuple


@dataclass(frozen=True)
class Photo:
    subject: str


@dataclass(frozen=True)
class Wait:
    ticks: int


@dataclass(frozen=True)
class Land:
    pass


def read_plan(text):
    """Commands such as `takeoff 30`, `fly 10 20`, `photo roof`, `wait 2`, `land`."""
    commands = []
    for number, line in enumerate(text.replace(";", "\n").splitlines(), start=1):
        match line.split():
            case []:
                continue
            case ["takeoff", height]:
                commands.append(TakeOff(int(height)))
            case ["fly", x, y]:
                commands.append(Fly((int(x), int(y))))
            case ["photo", *subject] if subject:
                commands.append(Photo(" ".join(subject)))
            case ["wait", ticks]:
                commands.append(Wait(int(ticks)))
            case ["land"]:
                commands.append(Land())
            case _:
                raise PlanError(f"line {number}: {line.strip()!r}")
    if not commands or not isinstance(commands[0], TakeOff):
        raise PlanError("a plan begins with takeoff")
    if not isinstance(commands[-1], Land):
        commands.append(Land())
    return commands
