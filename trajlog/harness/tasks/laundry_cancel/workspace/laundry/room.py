"""The room with its machines."""

from laundry.machine import Machine, MachineError
from laundry.program import Program

PROGRAMS = {
    "cotton": "fill; wash 60 20; rinse 5 x2; spin 10",
    "wool": "fill; soak 8; wash 30 6; rinse 4; spin 3",
    "quick": "fill; wash 40 5; spin 2",
}


class Room:
    def __init__(self, timeline, names):
        self._timeline = timeline
        self.machines = {name: Machine(name, timeline) for name in names}

    def start(self, name, program):
        if program not in PROGRAMS:
            raise MachineError(f"no program {program!r}")
        self.machines[name].start(Program.parse(program, PROGRAMS[program]))

    async def cancel(self, name):
        await self.machines[name].cancel()

    def free(self):
        return [name for name, machine in self.machines.items() if not machine.locked and machine.state != "running"]

    def report(self):
        return [f"{name}: {machine.state}" for name, machine in self.machines.items()]
