"""Flows as JSON. Steps refer to each other by name."""

import json

from flow.steps import Flow, FlowError, Step


def step_fields(step):
    fields = {"name": step.name, "action": step.action}
    if step.params:
        fields["params"] = step.params
    if step.after:
        fields["after"] = [other.name for other in step.after]
    if step.inputs:
        fields["inputs"] = {parameter: other.name for parameter, other in step.inputs.items()}
    if step.fallback is not None:
        fields["fallback"] = step.fallback.name
    return fields


def dumps(flow):
    return json.dumps({"title": flow.title, "steps": [step_fields(step) for step in flow]}, indent=1)


class Builder:
    """Makes the steps of one flow. Who is referred to before its definition is made at once and filled later."""

    def __init__(self, title):
        self._title = title
        self._known = {}
        self._order = []

    def refer(self, name):
        if name not in self._known:
            self._known[name] = Step(name)
        return self._known[name]

    def define(self, fields):
        name = fields["name"]
        if name in self._order:
            raise FlowError(f"step {name!r} is defined twice")
        self._order.append(name)
        step = self.refer(name)
        step.action = fields["action"]
        step.params = fields.get("params", {})
        step.after = [self.refer(other) for other in fields.get("after", [])]
        step.inputs = {parameter: self.refer(other) for parameter, other in fields.get("inputs", {}).items()}
        if "fallback" in fields:
            step.fallback = self.refer(fields["fallback"])

    def finish(self):
        missing = sorted(set(self._known) - set(self._order))
        if missing:
            raise FlowError(f"not defined: {', '.join(missing)}")
        return Flow(self._title, (self._known[name] for name in self._order))


def loads(text):
    document = json.loads(text)
    builder = Builder(document["title"])
    for fields in document["steps"]:
        try:
            builder.define(fields)
        except KeyError as error:
            raise FlowError(f"a step has no {error}") from error
    return builder.finish()
