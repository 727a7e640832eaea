"""A small library for vehicle timetables."""

from timegrid.builder import TripBuilder, TripError
from timegrid.model import Call, Trip

__all__ = ["Call", "Trip", "TripBuilder", "TripError"]
