"""Read build files.

    app: lib util       app needs lib and util
    app after docs      app comes after docs, if there is such a target
    app = cc -o app     what to run
"""

from dataclasses import dataclass, field


class BuildFileError(ValueError):
    def __init__(self, number, message):
        super().__init__(f"line {number}: {message}")


@dataclass
class Target:
    name: str
    needs: list = field(default_factory=list)
    after: list = field(default_factory=list)
    commands: list = field(default_factory=list)


def split_names(text):
    return (name for name in text.split() if not name.startswith("-"))


def read(text):
    """Target by name, in the order of the file."""
    targets = {}
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if " = " in line:
            name, _, command = line.partition(" = ")
            known(targets, name, number).commands.append(command)
        elif " after " in line:
            name, _, others = line.partition(" after ")
            known(targets, name, number).after = split_names(others)
        elif ":" in line:
            name, _, others = line.partition(":")
            if name in targets:
                raise BuildFileError(number, f"{name} is there twice")
            targets[name] = Target(name, list(split_names(others)))
        else:
            raise BuildFileError(number, f"cannot read {line!r}")
    return targets


def known(targets, name, number):
    if name not in targets:
        raise BuildFileError(number, f"{name} is not a target")
    return targets[name]
