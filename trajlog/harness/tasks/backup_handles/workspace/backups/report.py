"""Reports for the morning."""


def report(scheduler, archive, plans):
    """A line per plan: snapshots, files in the newest state, failures."""
    lines = []
    for plan in plans:
        numbers = ",".join(map(str, archive.numbers(plan.name))) or "-"
        files = len(archive.restore(plan.name))
        failed = scheduler.failures.get(plan.name, 0)
        lines.append(f"{plan.name:<10} snapshots {numbers} files {files}" + (f" failed {failed}x" if failed else ""))
    return lines


def differences(archive, plan, one, other):
    """What was changed between two snapshots, as `+path`, `-path` or `*path`."""
    before, after = archive.restore(plan, one), archive.restore(plan, other)
    found = []
    for path in sorted(before.keys() | after.keys()):
        if path not in before:
            found.append(f"+{path}")
        elif path not in after:
            found.append(f"-{path}")
        elif before[path] != after[path]:
            found.append(f"*{path}")
    return found


def space(archive, plan):
    """Characters kept per snapshot: only what was changed is kept."""
    sizes, before = {}, {}
    for number in archive.numbers(plan):
        contents = archive.restore(plan, number)
        changed = [path for path, content in contents.items() if before.get(path) != content]
        sizes[number] = sum(len(contents[path]) for path in changed)
        before = contents
    return sizes


def oldest(archive, plan, path):
    """The number of the first snapshot that has a file, or None."""
    for number in archive.numbers(plan):
        if path in archive.restore(plan, number):
            return number
    return None
