"""Stitches: how many they take from the row below and how many they leave."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Stitch:
    name: str
    takes: int
    leaves: int
    meaning: str = ""


COMMON = (
    Stitch("k", 1, 1, "knit"),
    Stitch("p", 1, 1, "purl"),
    Stitch("s", 1, 1, "slip"),
    Stitch("yo", 0, 1, "yarn over"),
    Stitch("m1", 0, 1, "make one"),
    Stitch("kfb", 1, 2, "knit front and back"),
    Stitch("ssk", 2, 1, "slip, slip, knit together"),
    Stitch("k2tog", 2, 1, "knit two together"),
    Stitch("p2tog", 2, 1, "purl two together"),
    Stitch("sk2p", 3, 1, "slip, knit two together, pass over"),
)


class Stitches:
    """The stitches a pattern may use."""

    def __init__(self):
        self._by_name = {stitch.name: stitch for stitch in reversed(COMMON)}

    def __getitem__(self, name):
        return self._by_name[name]

    def define(self, name, takes, leaves, meaning=""):
        if not re.fullmatch(r"[a-z][a-z0-9]*", name):
            raise ValueError(f"bad name {name!r}")
        self._by_name[name] = Stitch(name, takes, leaves, meaning)

    def expression(self):
        """Regular expression for the names."""
        return "|".join(map(re.escape, self._by_name))

    def legend(self, names):
        return [f"{name}: {self._by_name[name].meaning or '?'}" for name in sorted(names)]
