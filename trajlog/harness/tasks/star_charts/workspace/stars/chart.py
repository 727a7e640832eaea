"""Charts as text."""

from dataclasses import dataclass

SIGNS = "@O*+."


@dataclass(frozen=True)
class Chart:
    region: str
    release: int
    rows: tuple
    names: tuple

    def title(self):
        return f"{self.region} ({self.release}): {', '.join(self.names)}"


def sign(magnitude):
    return SIGNS[max(0, min(len(SIGNS) - 1, round(magnitude)))]


def draw(region, release, stars, width=12, height=5, faintest=6.0):
    """A chart that just covers the stars; east is left."""
    stars = [star for star in stars if star.magnitude <= faintest]
    cells = [["-"] * width for _ in range(height)]
    if stars:
        right, left = min(star.hours for star in stars), max(star.hours for star in stars)
        low, high = min(star.degrees for star in stars), max(star.degrees for star in stars)
        for star in sorted(stars, key=lambda star: -star.magnitude):
            x = round((left - star.hours) / ((left - right) or 1) * (width - 1))
            y = round((high - star.degrees) / ((high - low) or 1) * (height - 1))
            cells[y][x] = sign(star.magnitude)
    names = tuple(star.name for star in sorted(stars, key=lambda star: star.magnitude)[:3])
    return Chart(region, release, tuple("".join(row) for row in cells), names)


def legend(chart):
    """What the signs on a chart mean, for those that occur."""
    lines = []
    for magnitude, mark in enumerate(SIGNS):
        count = sum(row.count(mark) for row in chart.rows)
        if count:
            lines.append(f"{mark} magnitude {magnitude}: {count}")
    return lines


def side_by_side(*charts):
    """Charts of equal height next to each other, with their titles below."""
    rows = ["  ".join(row) for row in zip(*[chart.rows for chart in charts])]
    return [*rows, *[chart.title() for chart in charts]]
