"""Theme texts: groups of `name = value` lines.

`name+ = a, b` appends to the inherited list, `-name` drops an inherited entry.
"""

from dataclasses import dataclass


class ThemeError(Exception):
    pass


@dataclass(frozen=True)
class Rule:
    group: str
    name: str
    how: str
    value: object = None


def value_of(text):
    """Lists have commas; everything else is text."""
    if "," in text:
        return [part.strip() for part in text.split(",") if part.strip()]
    return text.strip()


def parse(text):
    group, rules = None, []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.partition("#")[0].strip()
        if not line:
            continue
        if line.startswith("[") and line.endswith("]"):
            group = line[1:-1].strip()
        elif group is None:
            raise ThemeError(f"line {number}: outside of a group")
        elif line.startswith("-"):
            rules.append(Rule(group, line[1:].strip(), "drop"))
        elif "=" in line:
            name, _, value = line.partition("=")
            name = name.strip()
            how = "append" if name.endswith("+") else "set"
            rules.append(Rule(group, name.rstrip("+ "), how, value_of(value)))
        else:
            raise ThemeError(f"line {number}: {line!r}")
    return rules
