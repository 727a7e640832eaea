"""Pumps of an aquarium."""

from aquarium.pumps import Aquarium, Pump
from aquarium.schedule import Schedule
from aquarium.timer import Timer, TimerError

__all__ = ["Aquarium", "Pump", "Schedule", "Timer", "TimerError"]
