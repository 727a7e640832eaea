"""Sizes of tasks as a picture: a histogram per split, with its median."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from trajlog.errors import TrajlogError


def draw_sizes(path: Path, lines: Mapping[str, Sequence[int]]) -> None:
    """Draw the source lines of each split into `path`; its suffix chooses the format. Raises TrajlogError."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise TrajlogError("drawing needs matplotlib: pip install 'trajlog[plots]'") from error

    top = max(max(values) for values in lines.values())
    bins = list(range(0, top + 25, 25))
    figure = Figure(figsize=(8, 2 * len(lines)), layout="constrained")
    panels = figure.subplots(len(lines), 1, sharex=True, squeeze=False)
    for panel, (split, values) in zip(panels[:, 0], lines.items(), strict=True):
        middle = statistics.median(values)
        panel.hist(values, bins=bins, color="#4c72b0", edgecolor="white")
        panel.axvline(middle, color="#c44e52", linewidth=1.5)
        panel.set_title(f"{split}: {len(values)} tasks, median {middle:.0f} lines", loc="left", fontsize=10)
        panel.set_ylabel("tasks")
    panels[-1, 0].set_xlabel("source lines reachable from the failing test")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise TrajlogError(f"{path} cannot be drawn: {error}. Give a path ending in .svg, .png or .pdf.") from error
