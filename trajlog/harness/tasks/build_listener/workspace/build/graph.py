"""Targets and what they depend on."""

from dataclasses import dataclass

from build.errors import GraphError


@dataclass(frozen=True)
class Target:
    name: str
    needs: tuple
    recipe: str
    argument: str = ""


class Graph:
    def __init__(self, targets):
        self._targets = {}
        for target in targets:
            if target.name in self._targets:
                raise GraphError(f"target {target.name} is described twice")
            self._targets[target.name] = target
        for target in self._targets.values():
            for need in target.needs:
                if need not in self._targets:
                    raise GraphError(f"{target.name} needs {need}, which nobody makes")

    @classmethod
    def parse(cls, text):
        """Lines such as `app: main.o lib.o = join -`; what follows # is a remark."""
        targets = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            if not line:
                continue
            head, equals, how = line.partition("=")
            name, colon, needs = head.partition(":")
            if not colon or not equals or not name.strip() or not how.strip():
                raise GraphError(f"line {number}: expected `name: needs = recipe argument`")
            recipe, _, argument = how.strip().partition(" ")
            targets.append(Target(name.strip(), tuple(needs.split()), recipe, argument.strip()))
        return cls(targets)

    def __getitem__(self, name):
        try:
            return self._targets[name]
        except KeyError:
            raise GraphError(f"no target {name}") from None

    def order(self, goals):
        """All that is needed for `goals`, every target after its needs."""
        done, path, order = set(), [], []

        def visit(name):
            if name in done:
                return
            if name in path:
                circle = path[path.index(name) :] + [name]
                raise GraphError("circle: " + " > ".join(circle))
            path.append(name)
            for need in self[name].needs:
                visit(need)
            path.pop()
            done.add(name)
            order.append(name)

        for goal in goals:
            visit(goal)
        return order
