"""Questions about an installation."""

from packages.graph import Graph
from packages.solver import Solver


class Installation:
    def __init__(self, registry, *wanted):
        self.chosen = Solver(registry).solve(*wanted)
        self.wanted = {text.split(">")[0].split("<")[0].split("=")[0].strip() for text in wanted}
        self.graph = Graph(self.chosen)

    def needs(self, name):
        if name not in self.chosen:
            raise LookupError(f"{name} is not installed")
        return sorted(self.graph.below(name))

    def download_size(self, name):
        return sum(self.chosen[part].size for part in {name, *self.graph.below(name)})

    def removable(self, without):
        """What nobody needs any more when one of the wanted packages goes."""
        kept = self.wanted - {without}
        used = kept.union(*(self.graph.below(name) for name in kept))
        return [name for name in self.graph.names() if name not in used]

    def titles(self):
        return [self.chosen[name].title for name in self.graph.names()]
