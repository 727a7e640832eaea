"""Controllers of the greenhouse."""

from greenhouse.climate import Reading, wanted_opening
from greenhouse.control import Controller
from greenhouse.plan import DayPlan, PlanError
from greenhouse.zone import Vent, Zone

__all__ = ["Controller", "DayPlan", "PlanError", "Reading", "Vent", "Zone", "wanted_opening"]
