"""Walks up the tree."""


def lines_up(person):
    """Yield every line of descent that ends in `person`, as people from the youngest up.

    The line of the person alone comes first, then the parents' in turn, each before the grandparents'.
    """
    path = []

    def climb(current):
        path.append(current)
        yield path
        for parent in current.parents:
            yield from climb(parent)
        path.pop()

    yield from climb(person)


def generations(person):
    """Yield (steps, person) upwards; who is reached by several lines comes several times."""
    for line in lines_up(person):
        yield len(line) - 1, line[-1]


def lines_to(person, ancestor):
    """All lines of descent from the ancestor, shortest first."""
    found = [line for line in lines_up(person) if line[-1] is ancestor]
    return sorted(found, key=len)


def ancestors(person):
    """Name -> all lines from that ancestor to the person."""
    table = {}
    for line in lines_up(person):
        if line:
            table.setdefault(line[-1].name, []).append(line)
    return table
