"""Maps of layers, of which one is selected."""

import copy

from garden.layers import Layer, MapError
from garden.species import SPECIES
from garden.steps import Planted, Removed, Shown


class GardenMap:
    def __init__(self, width, height, layers=("ground",)):
        self.width = width
        self.height = height
        self.origin = None
        self._layers = [Layer(name) for name in layers]
        self._selected = self._layers[0]
        self._steps = []

    def __copy__(self):
        made = GardenMap.__new__(GardenMap)
        made.__dict__.update(self.__dict__)
        made._layers = [copy.copy(layer) for layer in self._layers]
        return made

    def sketch(self, title="sketch"):
        """A copy to try things out in."""
        made = copy.copy(self)
        made.origin = title if self.origin is None else f"{self.origin}/{title}"
        return made

    @property
    def selected(self):
        return self._selected.name

    def select(self, name):
        self._selected = self.layer(name)

    def layer(self, name):
        for layer in self._layers:
            if layer.name == name:
                return layer
        raise MapError(f"no layer {name}")

    def add_layer(self, name):
        if any(layer.name == name for layer in self._layers):
            raise MapError(f"layer {name} exists")
        self._layers.append(Layer(name))
        self.select(name)

    def plant(self, name, *places):
        for place in places:
            if not (0 <= place[0] < self.width and 0 <= place[1] < self.height):
                raise MapError(f"{place} is outside")
            self._selected.put(place, SPECIES[name])
            self._steps.append(Planted(self._selected.name, place))

    def remove(self, place):
        species = self._selected.take(place)
        self._steps.append(Removed(self._selected.name, place, species))

    def show(self, visible=True):
        """Show or hide the selected layer."""
        self._steps.append(Shown(self._selected.name, self._selected.visible))
        self._selected.visible = visible

    def undo(self):
        if not self._steps:
            raise MapError("nothing to undo")
        self._steps.pop().undo(self)

    @property
    def num_steps(self):
        return len(self._steps)

    def rows(self):
        """The map as text; upper layers hide lower ones."""
        return ["".join(self._sign((x, y)) for x in range(self.width)) for y in range(self.height)]

    def _sign(self, place):
        for layer in reversed(self._layers):
            species = layer.at(place)
            if layer.visible and species:
                return species.sign
        return "."

    def plants(self):
        return {layer.name: layer.plants() for layer in self._layers}
