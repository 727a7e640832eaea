"""How far a build is. Not locked: that is up to the executor."""

WAITING = "waiting"
RUNNING = "running"
BUILT = "built"
FRESH = "fresh"
FAILED = "failed"
SKIPPED = "skipped"

GOOD = (BUILT, FRESH)


class Progress:
    def __init__(self, graph, order):
        self._needs = {name: set(graph[name].needs) for name in order}
        self._states = dict.fromkeys(order, WAITING)

    @property
    def over(self):
        return not any(state in (WAITING, RUNNING) for state in self._states.values())

    @property
    def running(self):
        return sum(state == RUNNING for state in self._states.values())

    def settle(self, name, state):
        self._states[name] = state

    def release(self):
        """Targets that can be made now; they count as running from here on."""
        ready = [name for name, state in self._states.items() if state == WAITING and self._can_be_made(name)]
        for name in ready:
            self._states[name] = RUNNING
        return ready

    def _can_be_made(self, name):
        return all(self._states[need] in GOOD for need in self._needs[name])

    def skip_dependants(self, name):
        """Give up all that needs `name`, directly or not."""
        lost, skipped = {name}, []
        for each, state in self._states.items():
            if state == WAITING and self._needs[each] & lost:
                lost.add(each)
                skipped.append(each)
        for each in skipped:
            self._states[each] = SKIPPED
        return skipped

    def counts(self):
        counts = {}
        for state in self._states.values():
            counts[state] = counts.get(state, 0) + 1
        return dict(sorted(counts.items()))

    def names(self, state):
        return sorted(name for name, each in self._states.items() if each == state)
