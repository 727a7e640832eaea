"""Rule files: `target:` followed by indented steps."""

from builder.errors import RuleError
from builder.steps import STEPS


class Rule:
    def __init__(self, target):
        self.target = target
        self.steps = []

    def run(self, context):
        """The text of the target."""
        lines = []
        for name, argument in self.steps:
            lines = STEPS[name](lines, argument, context)
        return "\n".join(lines)

    def text(self):
        return "\n".join(f"{name} {argument}" for name, argument in self.steps)


def parse(text):
    rules = {}
    rule = None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].rstrip()
        if not line:
            continue
        if not line[0].isspace():
            target, colon, rest = line.partition(":")
            if not colon or rest.strip():
                raise RuleError(f"line {number}: a target ends with a colon")
            if target in rules:
                raise RuleError(f"line {number}: second rule for {target}")
            rule = rules[target] = Rule(target)
            continue
        if rule is None:
            raise RuleError(f"line {number}: step before the first target")
        name, _, argument = line.strip().partition(" ")
        if name not in STEPS:
            raise RuleError(f"line {number}: unknown step {name}")
        rule.steps.append((name, argument.strip()))
    return rules
