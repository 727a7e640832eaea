"""Patches of several files: each part begins with `--- name`."""

from dataclasses import dataclass, field

from patchtool.apply import patched
from patchtool.compare import diff
from patchtool.errors import BadPatch, PatchFailed
from patchtool.hunk import read_patch
from patchtool.source import Source


@dataclass
class Part:
    name: str
    hunks: list = field(default_factory=list)

    @property
    def added(self):
        return sum(mark == "+" for hunk in self.hunks for mark, _ in hunk.changes)

    @property
    def removed(self):
        return sum(mark == "-" for hunk in self.hunks for mark, _ in hunk.changes)


def read_bundle(text):
    names, bodies = [], []
    for line in text.splitlines():
        if line.startswith("--- "):
            names.append(line[4:].strip())
            bodies.append([])
        elif bodies:
            bodies[-1].append(line)
        elif line.strip():
            raise BadPatch(f"before the first file: {line!r}")
    if len(set(names)) < len(names):
        raise BadPatch("a file is there twice")
    return [Part(name, read_patch("\n".join(body))) for name, body in zip(names, bodies)]


def statistics(parts):
    """`name | +2 -1`"""
    width = max((len(part.name) for part in parts), default=0)
    return [f"{part.name:<{width}} | +{part.added} -{part.removed}" for part in parts]


def apply_bundle(files, parts):
    """New texts of all files, and {name: message} of those that could not be patched and stay as they are."""
    result, failed = dict(files), {}
    for part in parts:
        if part.name not in files:
            failed[part.name] = "no such file"
            continue
        try:
            result[part.name] = "\n".join(patched(Source(files[part.name].splitlines()), part.hunks))
        except PatchFailed as problem:
            failed[part.name] = str(problem)
    return result, failed


def make_bundle(old_files, new_files):
    """A bundle for all files that are in both and differ."""
    out = []
    for name in sorted(old_files.keys() & new_files.keys()):
        if body := diff(old_files[name], new_files[name]):
            out.append(f"--- {name}\n{body}")
    return "\n".join(out)
