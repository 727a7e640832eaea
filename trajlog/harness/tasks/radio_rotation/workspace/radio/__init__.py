"""An automatic radio station."""

from radio.station import Station

__all__ = ["Station"]
