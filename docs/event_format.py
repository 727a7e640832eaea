"""Write docs/event-format.md from the schemas: `python docs/event_format.py`. A test fails when it is out of date."""

import ast
import inspect
import textwrap
from itertools import pairwise
from pathlib import Path

import msgspec

from trajlog.schemas import KINDS, Event, arrow_schema

TARGET = Path(__file__).with_name("event-format.md")

# ruff: noqa: E501
HEAD = """\
# Event format

Written from `trajlog/schemas/` by `python docs/event_format.py`.

## A record

| part | content |
|---|---|
| key | `group_id` on `.rollouts` and `.groups`, `run_id` on `.control`, `producer` on `.liveness` and `.engines`; CRC-32 of the key modulo the partition count is the partition |
| headers | `kind`, `schema_version`, `num_events`, `run_id`, `crc32`; on a split record also `part_id`, `part`, `num_parts` |
| value | one Arrow record batch of one kind: the IPC message without its schema. In batches of 4 KiB and more, buffers of 1 KiB and more that shrink by it are compressed inside the message: with lz4, from 256 KiB on with zstd |

A record larger than 16 MiB is split into parts with the same key. The last part has the record's `num_events`, the
others 0. A reader keeps its durable position at or below the first part of a record that it has not seen whole; a
record still incomplete after ten minutes of append time is given up (its producer died) and quarantined.

`crc32` is eight hexadecimal digits: CRC-32 over `kind`, `schema_version`, `num_events` and `run_id` with a line feed
between them, continued over the value (of all parts). A record that does not match it is undecodable, so a bit that
flips in a token, a log-probability or a reward never trains. Without it, as in logs of older versions, every row is
held to its kind's rules when it is read.

Readers that are not trajlog find each kind's schema in its `schema_registered` event: prefix the value with
`schema_ipc` and any Arrow implementation reads it.

## Evolution

A kind grows by nullable columns only, each time under the next `schema_version`; older records get null there. A
breaking change is a next `schema_version` with an upcaster in `schemas/union.py`. Golden records of every released
version are in `tests/golden/` and must read for ever. An unknown version is refused with a message, and quarantined by
the archiver.

## Text, numbers, time

- Text is valid UTF-8. A lone surrogate becomes U+FFFD when the event is made, and the original bytes go to `raw`.
- Every float is finite. An unscored token's log-probability is null, never 0.0. `float` (32 bit) values are rounded
  when the event is made, so that the stored value is the event's value.
- Times are UTC with microseconds. Order is by `seq` and offset, never by clock.
- A column is nullable exactly where its field allows None: a list is null only in records older than its column.

## Envelope

Every kind begins with these fields.

"""


def field_docs(cls: type) -> dict[str, str]:
    """Docstrings that stand under the fields of a class."""
    body = ast.parse(textwrap.dedent(inspect.getsource(cls))).body[0].body
    docs = {}
    for node, after in pairwise(body):
        if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            docs[node.target.id] = " ".join(str(after.value.value).split())
    return docs


def table(cls: type[Event], names: list[str], documented: type | None = None) -> str:
    schema, docs = arrow_schema(cls), field_docs(documented or cls)
    lines = ["| field | Arrow type | meaning |", "|---|---|---|"]
    for name in names:
        field = schema.field(name)
        kind = str(field.type).replace("|", "\\|") + (", nullable" if field.nullable else "")
        lines.append(f"| `{name}` | {kind} | {docs.get(name, '')} |")
    return "\n".join(lines) + "\n"


def structs_of(cls: type[Event]) -> list[type]:
    """Nested structs defined in the kind's module, which its table shows as struct<...>."""
    module = inspect.getmodule(cls)
    return [
        member
        for member in vars(module).values()
        if inspect.isclass(member)
        and issubclass(member, msgspec.Struct)
        and not issubclass(member, Event)
        and member.__module__ == module.__name__
    ]


def render() -> str:
    envelope = list(Event.__struct_fields__)
    out = [HEAD, table(KINDS["generation"], envelope, Event)]
    for kind, cls in KINDS.items():
        doc = " ".join(inspect.getmodule(cls).__doc__.split())
        text = textwrap.fill(f"Topic `.{cls.topic}`, schema version {cls.version}. {doc}", 120, break_on_hyphens=False)
        out.append(f"\n## {kind}\n\n{text}\n\n")
        out.append(table(cls, [n for n in cls.__struct_fields__ if n not in envelope]))
        for struct in structs_of(cls):
            nested = field_docs(struct)
            if nested:
                text = f"In `{struct.__name__}`: " + " ".join(f"`{n}`: {d}" for n, d in nested.items())
                out.append("\n" + textwrap.fill(text, 120, break_on_hyphens=False) + "\n")
    return "".join(out)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")
