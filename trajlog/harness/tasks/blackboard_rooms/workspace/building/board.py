"""The blackboard: values by room, and who wants to hear of them."""


class Blackboard:
    def __init__(self):
        self._rooms = {}
        self._agents = {}

    def join(self, agent):
        self._agents.setdefault(agent.room, []).append(agent)

    def leave(self, agent):
        self._agents[agent.room].remove(agent)

    def values(self, room):
        return dict(self._rooms.get(room, {}))

    def write(self, room, **values):
        """Put values on the board; the agents of the room observe the new state."""
        self._rooms.setdefault(room, {}).update(values)
        taken = []
        for agent in tuple(self._agents.get(room, ())):
            taken += agent.observe(self.values(room))
        return taken

    def erase(self, room, name):
        self._rooms.get(room, {}).pop(name, None)
