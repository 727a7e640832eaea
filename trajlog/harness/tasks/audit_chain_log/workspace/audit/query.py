"""Questions about a log."""

from collections import Counter
from datetime import datetime, timezone


def between(entries, start, end):
    """Entries with start <= when < end."""
    return [entry for entry in entries if start <= entry.when < end]


def find_detail(entries, path, value):
    """Numbers of the entries with that value at the dotted path of their details."""
    found = []
    for entry in entries:
        current = entry.details
        for name in path.split("."):
            current = current.get(name) if isinstance(current, dict) else None
        if current == value:
            found.append(entry.number)
    return found


def actions_by_actor(entries):
    counts = {}
    for entry in entries:
        counts.setdefault(entry.actor, Counter())[entry.action] += 1
    return {actor: dict(sorted(counter.items())) for actor, counter in sorted(counts.items())}


def describe(entry):
    moment = datetime.fromtimestamp(entry.when, timezone.utc)
    details = " ".join(f"{name}={value!r}" for name, value in entry.details.items())
    return f"#{entry.number} {moment:%Y-%m-%d %H:%M:%S} {entry.actor} {entry.action} {details}".rstrip()
