"""Plans as text for Graphviz."""

_SHAPES = {"router": "diamond", "switch": "box", "host": "ellipse"}


def quoted(text):
    return '"' + text.replace('"', '\\"') + '"'


def to_dot(document):
    lines = ["graph plan {"]
    for name, device in sorted(document["devices"].items()):
        lines.append(f"  {quoted(name)} [shape={_SHAPES[device['kind']]}];")
    for link, entry in sorted(document["links"].items()):
        first, second = (end.partition(".")[0] for end in entry["ends"])
        lines.append(f"  {quoted(first)} -- {quoted(second)} [label={quoted(link)}];")
    return "\n".join([*lines, "}"])
