"""What a plan must look like."""

KINDS = ("router", "switch", "host")


class PlanError(ValueError):
    """A plan that cannot be built. `problems` has one line each."""

    def __init__(self, problems):
        super().__init__("; ".join(problems))
        self.problems = problems


def problems_of(document):
    devices = document.get("devices", {})
    for name, device in sorted(devices.items()):
        if device.get("kind") not in KINDS:
            yield f"{name}: kind {device.get('kind')!r}"
        for port, settings in sorted(device.get("ports", {}).items()):
            vlans = settings.get("vlans", [])
            if any(not 1 <= vlan <= 4094 for vlan in vlans):
                yield f"{name}.{port}: vlan out of range"
    used = set()
    for name, link in sorted(document.get("links", {}).items()):
        for end in link.get("ends", []):
            device, _, port = end.partition(".")
            if port not in devices.get(device, {}).get("ports", {}):
                yield f"link {name}: no port {end}"
            elif end in used:
                yield f"link {name}: port {end} is used twice"
            used.add(end)


def check(document):
    problems = list(problems_of(document))
    if problems:
        raise PlanError(problems)
    return document
