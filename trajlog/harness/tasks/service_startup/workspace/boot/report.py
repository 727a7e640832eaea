"""What the status page shows."""


def status_lines(container):
    """One line per service, by name; those that others wait for say so."""
    lines = []
    for service in sorted(container.services, key=lambda service: service.name):
        line = f"{service.name}: {service.state.value}"
        dependents = container.dependents(service.name)
        if dependents:
            line += f" (needed by {', '.join(dependents)})"
        lines.append(line)
    return lines
