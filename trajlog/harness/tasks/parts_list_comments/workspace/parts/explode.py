"""What is needed for an assembly, down to the single parts."""

from parts.errors import PartsError


def needed(parts_list, name, number=1, inside=()):
    """part -> number, in the order of first use"""
    if name in parts_list.parts:
        return {name: number}
    if name not in parts_list.assemblies:
        raise PartsError(f"{name} is not in the list" + (f", needed for {inside[-1]}" if inside else ""))
    if name in inside:
        raise PartsError(f"{name} contains itself")
    found = {}
    for count, other in parts_list.assemblies[name].uses:
        for part, amount in needed(parts_list, other, number * count, (*inside, name)).items():
            found[part] = found.get(part, 0) + amount
    return found


def cost(parts_list, name):
    return round(sum(parts_list.parts[part].price * number for part, number in needed(parts_list, name).items()), 2)


def order_lines(parts_list, name, number=1):
    lines = []
    for part, amount in needed(parts_list, name, number).items():
        text = parts_list.parts[part].description
        lines.append(f"{amount:>6} {part}" + (f" ({text})" if text else ""))
    return lines
