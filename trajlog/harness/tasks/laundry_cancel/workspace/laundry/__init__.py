"""Washing machines of the laundry room."""

from laundry.machine import Machine, MachineError
from laundry.program import Program
from laundry.room import Room
from laundry.timeline import Timeline

__all__ = ["Machine", "MachineError", "Program", "Room", "Timeline"]
