"""A project: a build file and what can be done with it."""

import graph
from buildfile import read


class Project:
    def __init__(self, text):
        self.targets = read(text)

    def check(self):
        """Messages on what is wrong; an empty list if nothing is."""
        try:
            graph.order(self.targets)
        except (graph.Circle, graph.UnknownTarget) as problem:
            return [str(problem)]
        return [f"{target.name} does nothing" for target in self.targets.values() if self._is_idle(target)]

    def order(self):
        return graph.order(self.targets)

    def needed_by(self, name):
        return graph.needed_by(self.targets, name)

    def build(self, run):
        """Run the commands of all targets; stop at the first target that fails. Returns the names built."""
        built = []
        for name in self.order():
            if not all(run(command) for command in self.targets[name].commands):
                break
            built.append(name)
        return built

    @staticmethod
    def _is_idle(target):
        return not target.commands and not any(target.needs)
