"""Star catalogues: `name;right ascension;declination[;magnitude]`."""

from dataclasses import dataclass

from scope.angle import DEGREE, Angle, AngleError
from scope.hours import parse_hours, show_hours


@dataclass(frozen=True)
class Star:
    name: str
    ra: Angle
    dec: Angle
    magnitude: float = 0.0

    def __str__(self):
        return f"{self.name};{show_hours(self.ra)};{self.dec};{self.magnitude:.1f}"


def read(lines):
    stars = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.startswith("#"):
            continue
        try:
            name, ra, dec, *rest = line.split(";")
            star = Star(name.strip(), parse_hours(ra), Angle.parse(dec), float(rest[0]) if rest else 0.0)
        except (AngleError, ValueError) as problem:
            raise AngleError(f"line {number}: {problem}") from None
        if abs(star.dec).mas > 90 * DEGREE:
            raise AngleError(f"line {number}: declination {star.dec}")
        stars[star.name] = star
    return stars


def dump(stars):
    """Text by declination, from south to north."""
    return "\n".join(str(star) for star in sorted(stars.values(), key=lambda star: star.dec))


def band(stars, south, north):
    """Names of stars with south <= declination < north, brightest first."""
    low, high = Angle.parse(south), Angle.parse(north)
    found = [star for star in stars.values() if low <= star.dec < high]
    return [star.name for star in sorted(found, key=lambda star: star.magnitude)]
