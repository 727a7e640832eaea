"""What should have come, compared with what came."""

import csv
import io
from collections import Counter

from conveyor.parcels import Parcel


class ManifestError(ValueError):
    """A manifest that cannot be read."""


class Manifest:
    """Parcels by code, from `code,grams,zone` lines."""

    def __init__(self, text):
        self._parcels = {}
        for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
            if len(row) != 3 or not row[1].strip().isdigit():
                raise ManifestError(f"line {number}: code, grams and zone expected")
            code, grams, zone = (cell.strip() for cell in row)
            if code in self._parcels:
                raise ManifestError(f"line {number}: {code} comes twice")
            self._parcels[code] = Parcel(code, int(grams), zone)

    def __len__(self):
        return len(self._parcels)

    def parcels(self, *zones):
        return [parcel for parcel in self._parcels.values() if not zones or parcel.zone in zones]

    def compare(self, codes):
        """Lines about missing, doubled and strange parcels."""
        counts = Counter(codes)
        lines = [f"missing {code}" for code in self._parcels if code not in counts]
        lines += [f"{code} came {count} times" for code, count in counts.items() if count > 1]
        return lines + [f"strange {code}" for code in counts if code not in self._parcels]
