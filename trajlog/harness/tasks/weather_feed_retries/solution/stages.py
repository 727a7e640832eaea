"""The stages of our feed."""

from readings import to_celsius


class Calibrate:
    """Adds the offset of the station, in the unit that the station sends."""

    def __init__(self, offsets):
        self._offsets = dict(offsets)

    def __call__(self, reading):
        offset = self._offsets.get(reading["station"])
        if offset is None:
            return reading
        return {
            **reading,
            "value": reading["value"] + offset,
            "notes": [*reading["notes"], f"calibrated {offset:+g}"],
        }


class Convert:
    """Everything in Celsius, rounded to hundredths."""

    def __call__(self, reading):
        if reading["unit"] == "C":
            return reading
        return {
            **reading,
            "value": round(to_celsius(reading["value"], reading["unit"]), 2),
            "unit": "C",
            "notes": [*reading["notes"], f"was {reading['unit']}"],
        }


class Plausible:
    """Drops what no thermometer shows outside."""

    def __init__(self, low=-60.0, high=60.0):
        self._low, self._high = low, high

    def __call__(self, reading):
        return reading if self._low <= reading["value"] <= self._high else None


class MarkJumps:
    """Notes a jump against the last stored reading of the station."""

    def __init__(self, limit):
        self._limit = limit
        self._last = {}

    def __call__(self, reading):
        last = self._last.get(reading["station"])
        if last is None or abs(reading["value"] - last) <= self._limit:
            return reading
        return {**reading, "notes": [*reading["notes"], "jump"]}

    def committed(self, reading):
        self._last[reading["station"]] = reading["value"]
