"""A page of photos as text."""


def cell(row, width):
    name = row.name if len(row.name) <= width else row.name[: width - 1] + "~"
    return name.ljust(width)


def sheet(rows, columns=3, width=12):
    """Lines of cells, and under them the tags that all photos of the line share."""
    lines = []
    for start in range(0, len(rows), columns):
        part = rows[start : start + columns]
        lines.append(" ".join(cell(row, width) for row in part).rstrip())
        shared = set(part[0].tags).intersection(*(row.tags for row in part))
        if shared:
            lines.append(f"  all: {', '.join(sorted(shared))}")
    return lines
