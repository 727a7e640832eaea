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
        reading["value"] += offset
        reading["notes"].append(f"calibrated {offset:+g}")
        return reading


class Convert:
    """Everything in Celsius, rounded to hundredths."""

    def __call__(self, reading):
        if reading["unit"] == "C":
            return reading
        reading["value"] = round(to_celsius(reading["value"], reading["unit"]), 2)
        reading["notes"].append(f"was {reading['unit']}")
        reading["unit"] = "C"
        return reading


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
        reading["notes"].append("jump")
        return reading

    def committed(self, reading):
        self._last[reading["station"]] = reading["value"]
