from drones.control import Control
from drones.mission import Mission, MissionError
from drones.plan import PlanError, read_plan

__all__ = ["Control", "Mission", "MissionError", "PlanError", "read_plan"]
