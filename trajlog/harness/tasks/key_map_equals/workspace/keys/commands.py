"""Commands with their arguments."""

import shlex
from dataclasses import dataclass

from keys.chords import KeyProblem


@dataclass(frozen=True)
class Command:
    name: str
    arguments: tuple = ()

    def __str__(self):
        return shlex.join([self.name, *self.arguments])


def parse_command(text):
    try:
        words = shlex.split(text)
    except ValueError as problem:
        raise KeyProblem(f"{str(problem).lower()}: {text.strip()}") from None
    if not words:
        raise KeyProblem("a command is missing")
    return Command(words[0], tuple(words[1:]))
