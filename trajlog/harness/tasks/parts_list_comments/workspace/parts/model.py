"""Parts and assemblies."""

from dataclasses import dataclass, field


@dataclass
class Part:
    name: str
    description: str = ""
    price: float = 0.0


@dataclass
class Assembly:
    name: str
    uses: list = field(default_factory=list)  # (number, name)


@dataclass
class PartsList:
    parts: dict = field(default_factory=dict)
    assemblies: dict = field(default_factory=dict)

    def knows(self, name):
        return name in self.parts or name in self.assemblies
