"""A simple look ahead: the straight line through the last readings."""


def slope(readings):
    """Centimetres a minute, by least squares; 0.0 if there is nothing to go by."""
    if len(readings) < 2:
        return 0.0
    mean_minute = sum(reading.minute for reading in readings) / len(readings)
    mean_level = sum(reading.level for reading in readings) / len(readings)
    spread = sum((reading.minute - mean_minute) ** 2 for reading in readings)
    if spread == 0:
        return 0.0
    return sum((reading.minute - mean_minute) * (reading.level - mean_level) for reading in readings) / spread


def level_in(readings, minutes):
    """The level that is expected so many minutes after the last reading, or None."""
    if not readings:
        return None
    return round(readings[-1].level + minutes * slope(readings))


def minutes_until(readings, level):
    """Minutes from the last reading until the level is reached, or None if it will not be."""
    rise = slope(readings)
    if not readings or rise <= 0:
        return None
    return max(0, round((level - readings[-1].level) / rise))
