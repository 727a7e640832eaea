"""Runs a day from a table of readings."""

from building.agent import Agent
from building.board import Blackboard


class Simulation:
    def __init__(self):
        self.board = Blackboard()
        self.agents = {}

    def agent(self, name, room, *texts, **options):
        agent = self.agents[name] = Agent(name, room, texts, **options)
        self.board.join(agent)
        return agent

    def run(self, readings):
        """Readings as `hall temp=21 light=3`, one a line; the actions with the number of their line."""
        log = []
        for number, line in enumerate(readings.split("\n"), start=1):
            room, *pairs = line.split() or [None]
            if room is None or room.startswith("#"):
                continue
            values = {name: float(value) for name, value in (pair.split("=") for pair in pairs)}
            log += [f"{number} {action}" for action in self.board.write(room, **values)]
        return log

    def summary(self):
        return {name: len(agent.taken) for name, agent in sorted(self.agents.items())}


def by_room(log):
    """Actions of a log by room, as (line, action)."""
    rooms = {}
    for entry in log:
        number, room, action = entry.split(" ", 2)
        rooms.setdefault(room.rstrip(":"), []).append((int(number), action))
    return rooms


def quiet_rooms(simulation, log):
    """Rooms with an agent that has done nothing, sorted."""
    busy = by_room(log)
    return sorted({agent.room for agent in simulation.agents.values() if agent.room not in busy})
