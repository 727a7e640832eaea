"""One layer of a map: plants by place."""


class MapError(ValueError):
    """That cannot be drawn."""


class Layer:
    def __init__(self, name, visible=True):
        self.name = name
        self.visible = visible
        self._plants = {}

    def __copy__(self):
        made = Layer(self.name, self.visible)
        made._plants = dict(self._plants)
        return made

    def put(self, place, species):
        if place in self._plants:
            raise MapError(f"{self._plants[place].name} grows at {place} already")
        for other, present in self._plants.items():
            if distance(place, other) < max(present.spread, species.spread):
                raise MapError(f"{species.name} at {place} is too close to {present.name} at {other}")
        self._plants[place] = species

    def take(self, place):
        if place not in self._plants:
            raise MapError(f"nothing grows at {place}")
        return self._plants.pop(place)

    def at(self, place):
        return self._plants.get(place)

    def plants(self):
        return sorted((place, species.name) for place, species in self._plants.items())

    def __len__(self):
        return len(self._plants)


def distance(one, other):
    return max(abs(one[0] - other[0]), abs(one[1] - other[1]))
