"""Comparing maps."""


def differences(one, other):
    """Lines such as `+ trees (1, 2) apple` for what `other` has more or less."""
    before = {(name, *plant) for name, plants in one.plants().items() for plant in plants}
    after = {(name, *plant) for name, plants in other.plants().items() for plant in plants}
    lines = [("+", *item) for item in after - before] + [("-", *item) for item in before - after]
    return [f"{sign} {layer} {place} {name}" for sign, layer, place, name in sorted(lines, key=lambda line: line[1:])]


def shade(garden, layer):
    """Places below the spread of a layer's plants."""
    from garden.species import SPECIES

    found = set()
    for (x, y), name in garden.layer(layer).plants():
        reach = SPECIES[name].spread - 1
        found |= {(i, j) for i in range(x - reach, x + reach + 1) for j in range(y - reach, y + reach + 1)}
    return sorted((i, j) for i, j in found if 0 <= i < garden.width and 0 <= j < garden.height)
