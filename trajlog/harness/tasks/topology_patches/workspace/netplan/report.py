"""The history of a plan as text."""

from netplan.queries import isolated


def device_lines(document):
    for name, device in sorted(document["devices"].items()):
        ports = ", ".join(
            f"{port}[{' '.join(map(str, settings.get('vlans', [])))}]"
            for port, settings in sorted(device.get("ports", {}).items())
        )
        yield f"{name} ({device['kind']}): {ports or 'no ports'}"


def history_lines(planner):
    history = planner.history
    for number, change in enumerate(history.changes, 1):
        mark = " " if number <= history.position else "x"
        yield f"{mark}{number} {change.summary()}"


def report(planner):
    document = planner.document
    lines = list(device_lines(document))
    alone = isolated(document)
    if alone:
        lines.append("not linked: " + ", ".join(alone))
    return lines + list(history_lines(planner))
