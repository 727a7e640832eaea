"""Questions about a plan."""

from collections import deque


def neighbours(document):
    """device -> sorted names of the devices at the other ends of its links"""
    found = {name: set() for name in document["devices"]}
    for link in document["links"].values():
        first, second = (end.partition(".")[0] for end in link["ends"])
        found[first].add(second)
        found[second].add(first)
    return {name: sorted(others) for name, others in found.items()}


def route(document, start, goal):
    """A shortest way as a list of devices, or None."""
    around = neighbours(document)
    came_from = {start: None}
    queue = deque([start])
    while queue:
        here = queue.popleft()
        if here == goal:
            way = []
            while here is not None:
                way.append(here)
                here = came_from[here]
            return way[::-1]
        for there in around[here]:
            if there not in came_from:
                came_from[there] = here
                queue.append(there)
    return None


def vlan_members(document, vlan):
    """`device.port` of the ports with this VLAN."""
    return sorted(
        f"{name}.{port}"
        for name, device in document["devices"].items()
        for port, settings in device.get("ports", {}).items()
        if vlan in settings.get("vlans", [])
    )


def isolated(document):
    """Devices without any link."""
    return sorted(name for name, others in neighbours(document).items() if not others)
