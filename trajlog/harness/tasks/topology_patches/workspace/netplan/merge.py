"""Merge patches (in the manner of RFC 7396) for documents of dicts, lists and plain values."""

from copy import deepcopy


def merge(document, patch):
    """Apply `patch` to `document` in place and return the result.

    Dicts are merged field by field, None removes a field, anything else replaces what was there.
    """
    for name, value in patch.items():
        if value is None:
            document.pop(name, None)
        elif isinstance(value, dict) and isinstance(document.get(name), dict):
            merge(document[name], value)
        else:
            document[name] = value
    return document


def difference(before, after):
    """The patch that makes `after` of `before`."""
    patch = {}
    for name in before.keys() - after.keys():
        patch[name] = None
    for name, value in after.items():
        old = before.get(name)
        if isinstance(old, dict) and isinstance(value, dict):
            inner = difference(old, value)
            if inner:
                patch[name] = inner
        elif name not in before or old != value:
            patch[name] = deepcopy(value)
    return {name: patch[name] for name in sorted(patch)}


def paths(patch, prefix=""):
    """`a/b/c` of every value that a patch sets or removes, with a mark in front."""
    for name, value in patch.items():
        path = f"{prefix}{name}"
        if isinstance(value, dict) and value:
            yield from paths(value, path + "/")
        else:
            yield ("-" if value is None else "+") + path
