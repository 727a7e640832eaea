"""Controllers of the greenhouse."""

from greenhouse.climate import Reading, wanted_opening
from greenhouse.control import Controller
from greenhouse.zone import Vent, Zone

__all__ = ["Controller", "Reading", "Vent", "Zone", "wanted_opening"]
