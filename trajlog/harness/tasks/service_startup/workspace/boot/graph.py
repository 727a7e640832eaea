"""The order in which things that need each other can start."""


class CircleError(ValueError):
    """Things that need each other in a circle."""


class MissingError(LookupError):
    """Something needed does not exist."""


def start_order(needs):
    """Names so that each comes after all it needs; else by name. `needs`: name -> names."""
    for name, wanted in needs.items():
        for other in wanted:
            if other not in needs:
                raise MissingError(f"{name} needs {other}, which does not exist")
    order = []
    open_names = dict(needs)
    while open_names:
        ready = sorted(
            name for name, wanted in open_names.items() if all(other in order for other in wanted)
        )
        if not ready:
            raise CircleError(f"a circle among {', '.join(sorted(open_names))}")
        for name in ready:
            order.append(name)
            del open_names[name]
    return order


def needed_by(needs, name):
    """Names that need `name`, directly or through others, sorted."""
    found = set()
    todo = [name]
    while todo:
        current = todo.pop()
        for other, wanted in needs.items():
            if current in wanted and other not in found:
                found.add(other)
                todo.append(other)
    return sorted(found)
