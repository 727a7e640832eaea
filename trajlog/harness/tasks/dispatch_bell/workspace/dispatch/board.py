"""Where everybody is."""


class Board:
    """States of the crews, and a journal of what happened."""

    STATES = ("idle", "out", "off duty")

    def __init__(self):
        self._states = {}
        self.journal = []

    def note(self, crew, state, call=None):
        if state not in self.STATES:
            raise ValueError(f"no state {state!r}")
        self._states[crew] = state
        line = f"{crew} {state}"
        if call is not None:
            line += f" #{call.number} {call.place}"
        self.journal.append(line)

    def state(self, crew):
        return self._states.get(crew, "off duty")

    def count(self, state):
        return sum(found == state for found in self._states.values())

    def out(self):
        return sorted(crew for crew, state in self._states.items() if state == "out")
