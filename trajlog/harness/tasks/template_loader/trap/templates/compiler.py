"""Trees into flat programs: includes are put in, blocks of layouts are filled."""

from templates.parser import parse
from templates.source import TemplateError


class Program:
    """Steps to render one page, and the versions of the sources that they were made from."""

    def __init__(self, name, steps, sources):
        self.name = name
        self.steps = steps
        self.sources = sources


class Compiler:
    def __init__(self, source):
        self._source = source

    def compile(self, name):
        tree = self._tree(name)
        sources = {used: self._source.version(used) for used in (name, *tree.uses)}
        for used in tree.uses:
            inner = self._tree(used).uses
            sources.update({below: self._source.version(below) for below in inner})
            for below in inner:
                sources.update({last: self._source.version(last) for last in self._tree(below).uses})
        return Program(name, self._template(tree, {}, ()), sources)

    def _template(self, tree, blocks, above):
        name = tree.name
        if name in above:
            raise TemplateError(f"{name} includes itself")
        own = {node[1]: node[2] for node in tree.nodes if node[0] == "block"}
        if tree.parent:
            filled = {key: self._nodes(body, {}, (*above, name)) for key, body in own.items()}
            return self._template(self._tree(tree.parent), {**filled, **blocks}, (*above, name))
        return self._nodes(tree.nodes, blocks, (*above, name))

    def _tree(self, name):
        return parse(name, self._source.read(name))

    def _nodes(self, nodes, blocks, above):
        steps = []
        for node in nodes:
            if node[0] == "include":
                steps += self._template(self._tree(node[1]), {}, above)
            elif node[0] == "block":
                inner = self._nodes(node[2], blocks, above)
                steps += blocks.get(node[1], inner)
            elif node[0] == "for":
                steps.append((*node[:3], self._nodes(node[3], blocks, above)))
            else:
                steps.append(node)
        return steps
