"""`passes LOG`, `handovers LOG`, `plan LOG [count]`, `table LOG`"""

from pathlib import Path

from antenna.handover import handovers
from antenna.passes import passes
from antenna.plan import DayPlan
from antenna.sightings import LogError, read_log
from antenna.statistics import table


def main(argv, out):
    command, path, *rest = argv
    with Path(path).open(encoding="utf-8") as lines:
        sightings = read_log(lines)
        try:
            match command:
                case "passes":
                    out += [found.line() for found in passes(sightings)]
                case "handovers":
                    out += [handover.line() for handover in handovers(sightings)]
                case "plan":
                    out += DayPlan(count=int(rest[0]) if rest else 3).choose(sightings).lines()
                case "table":
                    out += table(sightings)
                case _:
                    out.append(f"unknown command {command}")
                    return 2
        except LogError as problem:
            out.append(str(problem))
            return 1
    return 0
