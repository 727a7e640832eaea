"""Entries as lines of a segment: number, time, digest and the rest as JSON, between tabs."""

import json

from audit.entry import AuditError, Entry

FIELDS = ("actor", "action", "details", "previous")


def to_line(entry):
    rest = {name: getattr(entry, name) for name in FIELDS}
    return f"{entry.number}\t{entry.when}\t{entry.digest}\t{json.dumps(rest, ensure_ascii=False)}"


def from_line(line):
    try:
        number, when, digest, rest = line.split("\t", 3)
        fields = json.loads(rest)
        return Entry(int(number), int(when), digest=digest, **{name: fields[name] for name in FIELDS})
    except (ValueError, KeyError, TypeError) as error:
        raise AuditError(f"cannot read line {line[:40]!r}") from error
