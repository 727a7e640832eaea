"""Nested tables of settings: merging layers and reaching values by dotted path."""


class UnknownSetting(KeyError):
    """A dotted path that leads nowhere."""


def merge(base, override):
    """`override` laid over `base`: tables merge key by key, anything else is replaced."""
    merged = __import__('copy').deepcopy(base)
    for key, value in override.items():
        current = merged.get(key)
        if isinstance(current, dict) and isinstance(value, dict):
            merged[key] = merge(current, value)
        else:
            merged[key] = value
    return merged


def merge_all(*layers):
    """All layers in order, the last one winning."""
    merged = {}
    for layer in layers:
        merged = merge(merged, layer)
    return merged


def lookup(table, path):
    """The value at a dotted path such as `limits.seats`."""
    value = table
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            raise UnknownSetting(path)
        value = value[key]
    return value


def assign(table, path, value):
    """Set the value at a dotted path that exists already."""
    lookup(table, path)
    parent, _, key = path.rpartition(".")
    target = lookup(table, parent) if parent else table
    target[key] = value


def flatten(table, prefix=""):
    """Dotted path and value of every leaf, sorted by path."""
    for key in sorted(table):
        path = f"{prefix}{key}"
        if isinstance(table[key], dict):
            yield from flatten(table[key], f"{path}.")
        else:
            yield path, table[key]
