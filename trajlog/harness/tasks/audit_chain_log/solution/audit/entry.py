"""One entry, and the digest that seals it."""

import hashlib
import json
from dataclasses import dataclass, field, replace

START = "0" * 16
DIGEST_SIZE = 16


class AuditError(ValueError):
    """Entries or segments that cannot be written or read."""


@dataclass(frozen=True)
class Entry:
    number: int
    when: int
    actor: str
    action: str
    details: dict = field(default_factory=dict)
    previous: str = START
    digest: str = ""

    def sealed(self):
        return replace(self, digest=digest_of(self))

    @property
    def is_intact(self):
        return self.digest == digest_of(self)


def canonical(value):
    """The one text of a value: sorted keys, no blanks."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def plain(value):
    """The value as it will be after it was stored: text keys, lists for tuples."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise AuditError(f"details cannot be stored: {error}") from error


def digest_of(entry):
    parts = [entry.number, entry.when, entry.actor, entry.action, entry.details, entry.previous]
    return hashlib.sha256(canonical(parts).encode("utf-8")).hexdigest()[:DIGEST_SIZE]
