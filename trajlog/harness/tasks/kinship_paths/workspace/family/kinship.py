"""How two people are related."""

from family.walk import ancestors, generations

RELATIONS = {(0, 1): "parent", (0, 2): "grandparent", (1, 1): "siblings", (1, 2): "aunt or uncle", (2, 2): "cousins"}


def relation(steps, other_steps):
    pair = tuple(sorted((steps, other_steps)))
    if pair in RELATIONS:
        return RELATIONS[pair]
    if pair[0] == 0:
        return "great-" * (pair[1] - 2) + "grandparent"
    if pair[0] == 1:
        return "great-" * (pair[1] - 2) + "aunt or uncle"
    removed = pair[1] - pair[0]
    return f"cousins of degree {pair[0] - 1}" + (f", {removed} removed" if removed else "")


def common(tree, name, other):
    """The nearest common ancestors: (ancestor, lines of the one, lines of the other)."""
    mine, theirs = ancestors(tree[name]), ancestors(tree[other])
    shared = [who for who in mine if who in theirs]
    if not shared:
        return []

    def distance(who):
        return min(map(len, mine[who])) + min(map(len, theirs[who]))

    nearest = min(map(distance, shared))
    return [(who, mine[who], theirs[who]) for who in shared if distance(who) == nearest]


def show(line):
    return " > ".join(person.name for person in reversed(line[:-1])) or "-"


def explain(tree, name, other):
    found = common(tree, name, other)
    if not found:
        return f"{name} and {other} are not related"
    _, mine, theirs = found[0]
    out = [f"{name} and {other}: " + relation(min(map(len, mine)) - 1, min(map(len, theirs)) - 1)]
    for who, lines, other_lines in found:
        out += [f"  {who}: {show(line)} | {show(other_line)}" for line in lines for other_line in other_lines]
    return "\n".join(out)


def pedigree(tree, name):
    """The ancestors, indented by generation."""
    return "\n".join("  " * steps + person.name for steps, person in generations(tree[name]))
