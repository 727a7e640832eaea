"""A small configuration text: `key = value`, `[group]`, `[group.inner]`, and `[[items]]` for lists of groups.

Values are written as in JSON. Keys are words of letters, digits, `-` and `_`.
"""

import json
import re

KEY = re.compile(r"[A-Za-z0-9_-]+")
HEADER = re.compile(r"(\[\[?)([A-Za-z0-9_.-]+)\]\]?")


class TextFormError(ValueError):
    """A text or value that does not fit the form."""


def _is_items(value):
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _checked(key):
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise TextFormError(f"not a key: {key!r}")
    return key


def _write_group(group, path, lines):
    for key, value in group.items():
        here = (*path, _checked(key))
        if isinstance(value, dict):
            lines.append(f"[{'.'.join(here)}]")
            _write_group(value, here, lines)
        elif _is_items(value):
            for item in value:
                lines.append(f"[[{'.'.join(here)}]]")
                _write_group(item, here, lines)
        else:
            lines.append(f"{key} = {json.dumps(value)}")


def write_text(document):
    lines = []
    _write_group(document, (), lines)
    return "\n".join(lines) + "\n"


def _enter(document, names):
    """The group of that path; of a list of groups it is the last one."""
    group = document
    for name in names:
        group = group.setdefault(name, {})
        if isinstance(group, list):
            group = group[-1]
    return group


def _open_group(document, brackets, path):
    *outer, name = path.split(".")
    parent = _enter(document, outer)
    if brackets == "[[":
        item = {}
        parent.setdefault(name, []).append(item)
        return item
    return parent.setdefault(name, {})


def read_text(text):
    document = {}
    group = document
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        header = HEADER.fullmatch(line)
        if header:
            group = _open_group(document, *header.groups())
            continue
        key, equals, value = line.partition("=")
        try:
            group[_checked(key.strip())] = json.loads(value)
        except ValueError as error:
            raise TextFormError(f"line {number}: {line}") from error
    return document
