"""Order of targets."""


class Circle(ValueError):
    def __init__(self, names):
        super().__init__("circle: " + " -> ".join(names))


class UnknownTarget(LookupError):
    pass


def predecessors(targets, target):
    """Names that come before the target."""
    for name in target.needs:
        if name not in targets:
            raise UnknownTarget(f"{target.name} needs {name}")
        yield name
    for name in target.after:
        if name in targets:
            yield name


def order(targets):
    done = []
    path = []

    def visit(name):
        if name in done:
            return
        if name in path:
            raise Circle([*path[path.index(name):], name])
        path.append(name)
        for before in predecessors(targets, targets[name]):
            visit(before)
        path.pop()
        done.append(name)

    for name in targets:
        visit(name)
    return done


def needed_by(targets, name):
    """Names of all targets that need the target, directly or not."""
    found = []
    todo = [name]
    while todo:
        wanted = todo.pop(0)
        for target in targets.values():
            if wanted in target.needs and target.name not in found:
                found.append(target.name)
                todo.append(target.name)
    return found
