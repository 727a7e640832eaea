"""Versions and what a requirement accepts."""

import re
from dataclasses import dataclass

REQUIREMENT = re.compile(r"([a-z][a-z0-9-]*)\s*(?:(>=|<|==)\s*([0-9.]+))?")


class VersionError(ValueError):
    pass


def version(text):
    try:
        return tuple(int(part) for part in text.split("."))
    except ValueError:
        raise VersionError(f"not a version: {text!r}") from None


@dataclass(frozen=True)
class Requirement:
    name: str
    sign: str = ""
    bound: tuple = ()

    @classmethod
    def parse(cls, text):
        match = REQUIREMENT.fullmatch(text.strip())
        if match is None:
            raise VersionError(f"not a requirement: {text!r}")
        name, sign, bound = match.groups()
        return cls(name, sign or "", version(bound) if bound else ())

    def accepts(self, candidate):
        if self.sign == ">=":
            return candidate >= self.bound
        if self.sign == "<":
            return candidate < self.bound
        return not self.sign or candidate == self.bound

    def __str__(self):
        return self.name + self.sign + ".".join(map(str, self.bound))
