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
        sources = {}
        steps = self._template(name, {}, sources, ())
        return Program(name, steps, sources)

    def _template(self, name, blocks, sources, above):
        if name in above:
            raise TemplateError(f"{name} includes itself")
        tree = self._tree(name, sources)
        own = {node[1]: node[2] for node in tree.nodes if node[0] == "block"}
        if tree.parent:
            filled = {key: self._nodes(body, {}, sources, (*above, name)) for key, body in own.items()}
            return self._template(tree.parent, {**filled, **blocks}, sources, (*above, name))
        return self._nodes(tree.nodes, blocks, sources, (*above, name))

    def _tree(self, name, sources):
        sources[name] = self._source.version(name)
        return parse(name, self._source.read(name))

    def _nodes(self, nodes, blocks, sources, above):
        steps = []
        for node in nodes:
            if node[0] == "include":
                steps += self._template(node[1], {}, sources, above)
            elif node[0] == "block":
                inner = self._nodes(node[2], blocks, sources, above)
                steps += blocks.get(node[1], inner)
            elif node[0] == "for":
                steps.append((*node[:3], self._nodes(node[3], blocks, sources, above)))
            else:
                steps.append(node)
        return steps
