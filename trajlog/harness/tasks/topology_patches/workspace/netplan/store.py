"""Histories as JSON files."""

import json

from netplan.history import Change, History
from netplan.planner import Planner

FORMAT = 1


def dumps(planner):
    history = planner.history
    document = {
        "format": FORMAT,
        "first": history.first,
        "position": history.position,
        "changes": [
            {"title": change.title, "author": change.author, "patch": change.patch} for change in history.changes
        ],
    }
    return json.dumps(document, indent=1)


def loads(text):
    document = json.loads(text)
    if document.get("format") != FORMAT:
        raise ValueError(f"format {document.get('format')!r} is not known")
    changes = [Change(entry["title"], entry["author"], entry["patch"]) for entry in document["changes"]]
    return Planner.with_history(History(document["first"], changes, document["position"]))


def save(planner, path):
    path.write_text(dumps(planner) + "\n", encoding="utf-8")


def load(path):
    return loads(path.read_text(encoding="utf-8"))
