"""Renders pages; compiled programs are kept."""

from templates.compiler import Compiler


class Engine:
    def __init__(self, source, filters=None):
        self._source = source
        self._compiler = Compiler(source)
        self._programs = {}
        self._show = filters or str
        self.compiled = []

    def render(self, name, **values):
        return "".join(self._run(self.program(name).steps, values))

    def program(self, name):
        program = self._programs.get(name)
        if program is None or not self._is_current(program):
            self._programs.pop(name, None)
            program = self._compiler.compile(name)
            self.compiled.append(name)
            self._programs[name] = program
        return program

    def _is_current(self, program):
        return all(self._source.version(name) == version for name, version in program.sources.items())

    def _run(self, steps, values):
        for step in steps:
            if step[0] == "text":
                yield step[1]
            elif step[0] == "value":
                yield self._show(values.get(step[1], ""))
            else:
                _, variable, items, body = step
                for item in values.get(items, ()):
                    yield from self._run(body, {**values, variable: item})
