"""Steps that can be undone."""

from dataclasses import dataclass

from garden.species import Species


@dataclass
class Planted:
    layer: str
    place: tuple

    def undo(self, garden):
        garden.layer(self.layer).take(self.place)


@dataclass
class Removed:
    layer: str
    place: tuple
    species: Species

    def undo(self, garden):
        garden.layer(self.layer).put(self.place, self.species)


@dataclass
class Shown:
    layer: str
    was: bool

    def undo(self, garden):
        garden.layer(self.layer).visible = self.was
