"""Programs as JSON."""

import json

from robot.program import Program
from robot.steps import step_class

VERSION = 2


class StoreError(ValueError):
    """A text that is no program."""


def step_to_plain(step):
    return {"kind": step.kind, **step.plain()}


def step_from_plain(entry):
    values = {name: tuple(value) if isinstance(value, list) else value for name, value in entry.items()}
    cls = step_class(values.pop("kind"))
    try:
        return cls(**values)
    except TypeError as problem:
        raise StoreError(f"bad {cls.kind}: {problem}") from None


def dumps(program):
    document = {
        "version": VERSION,
        "name": program.name,
        "steps": [step_to_plain(step) for step in program.steps],
        "subprograms": {
            name: [step_to_plain(step) for step in steps] for name, steps in program.subprograms.items()
        },
    }
    return json.dumps(document, indent=1)


def loads(text):
    try:
        document = json.loads(text)
    except json.JSONDecodeError as problem:
        raise StoreError(f"line {problem.lineno}: {problem.msg}") from None
    if document.get("version") != VERSION:
        raise StoreError(f"version {document.get('version')}; expected {VERSION}")
    return Program(
        document["name"],
        [step_from_plain(entry) for entry in document["steps"]],
        {name: [step_from_plain(entry) for entry in steps] for name, steps in document["subprograms"].items()},
    )
