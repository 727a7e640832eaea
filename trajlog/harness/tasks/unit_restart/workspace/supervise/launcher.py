"""Processes. This launcher only plays them, for dry runs.

As with real ones, a process that is told to terminate ends a little later, and its end is heard of later still.
"""

from collections import deque


class Process:
    def __init__(self, pid, name, command):
        self.pid = pid
        self.name = name
        self.command = command
        self.alive = True

    def __repr__(self):
        return f"<{self.name} {self.pid}>"


class DryLauncher:
    def __init__(self):
        self._processes = {}
        self._exits = deque()
        self.on_exit = None

    def start(self, name, command):
        pid = 101 + len(self._processes)
        self._processes[pid] = Process(pid, name, command)
        return self._processes[pid]

    def terminate(self, process):
        self.end(process.pid, -15)

    def end(self, pid, code):
        """The process comes to its end."""
        process = self._processes[pid]
        if process.alive:
            process.alive = False
            self._exits.append((process, code))

    def deliver(self):
        """Tell of all that has ended. Returns how many there were."""
        count = 0
        while self._exits:
            self.on_exit(*self._exits.popleft())
            count += 1
        return count

    def alive(self):
        return [(process.name, process.pid) for process in self._processes.values() if process.alive]
