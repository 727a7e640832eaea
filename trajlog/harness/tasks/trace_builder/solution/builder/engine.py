"""The builder: runs recipes whose traces no longer hold."""

from builder.errors import BuildError, Cycle
from builder.files import digest
from builder.rules import parse
from builder.traces import Trace, Traces


class Session:
    """One build; everything is looked at once per session."""

    def __init__(self, builder):
        self._builder = builder
        self._done = {}
        self._running = []

    def result(self, name):
        """(text, error) of a file or target."""
        if name in self._running:
            raise Cycle(" -> ".join([*self._running, name]))
        if name not in self._done:
            self._done[name] = self._make(name)
        return self._done[name]

    def mark(self, name):
        text, error = self.result(name)
        return f"!{error}" if error else digest(text)

    def _make(self, name):
        rule = self._builder.rules.get(name)
        if rule is None:
            try:
                return self._builder.files.read(name), ""
            except BuildError as error:
                return "", str(error)
        self._running.append(name)
        try:
            trace = self._builder.traces.find(name)
            if trace is None or not self._holds(trace, rule):
                trace = self._run(rule)
                self._builder.traces.keep(trace)
            return trace.text, trace.error
        finally:
            self._running.pop()

    def _holds(self, trace, rule):
        if trace.rule != rule.text():
            return False
        return all(self.mark(name) == mark for name, mark in trace.asked)

    def _run(self, rule):
        trace = Trace(rule.target, rule.text())
        self._builder.runs.append(rule.target)
        try:
            trace.text = rule.run(Context(self, trace))
        except Cycle:
            raise
        except BuildError as error:
            trace.error = str(error)
        return trace


class Context:
    """What a recipe sees of the build."""

    def __init__(self, session, trace):
        self._session = session
        self._trace = trace

    def need(self, name):
        text, error = self._session.result(name)
        self._trace.note(name, self._session.mark(name))
        if error:
            raise BuildError(error)
        return text


class Builder:
    def __init__(self, rules, files, traces=None):
        self.rules = parse(rules)
        self.files = files
        self.traces = traces or Traces()
        self.runs = []

    def build(self, target):
        """The text of a target (or file)."""
        text, error = Session(self).result(target)
        if error:
            raise BuildError(error)
        return text

    def build_all(self, *targets):
        """target -> text or `error: ...`, in one session."""
        session = Session(self)
        found = {}
        for target in targets:
            text, error = session.result(target)
            found[target] = f"error: {error}" if error else text
        return found
