"""What can be planted."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Species:
    name: str
    sign: str
    spread: int
    sun: bool = True


SPECIES = {
    species.name: species
    for species in (
        Species("apple", "A", 3),
        Species("bean", "b", 1),
        Species("fern", "f", 1, sun=False),
        Species("hazel", "H", 2),
        Species("mint", "m", 1, sun=False),
    )
}
