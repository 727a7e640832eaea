"""What targets asked for when they ran, and what came out."""

import json
from dataclasses import dataclass, field


@dataclass
class Trace:
    target: str
    rule: str
    asked: list = field(default_factory=list)
    text: str = ""
    error: str = ""

    def note(self, name, mark):
        if [name, mark] not in self.asked:
            self.asked.append([name, mark])


class Traces:
    """The last trace of every target."""

    def __init__(self):
        self._traces = {}

    def find(self, target):
        return self._traces.get(target)

    def keep(self, trace):
        self._traces[trace.target] = trace

    def forget(self, target):
        self._traces.pop(target, None)

    def dumps(self):
        return json.dumps([vars(trace) for trace in self._traces.values()], indent=1)

    @classmethod
    def loads(cls, text):
        traces = cls()
        for fields in json.loads(text):
            traces.keep(Trace(**fields))
        return traces
