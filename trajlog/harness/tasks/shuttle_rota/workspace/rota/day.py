"""A day as a list of lines.

`07:30 airport`, `08:00 harbour bus`, `+ name year [licences]`, `- name`, `break name`, `back name`
"""

from rota.drivers import Driver
from rota.roster import NobodyFree, Roster, Run


def play(lines, roster=None):
    """Carry out the lines; returns the roster and what could not be done."""
    roster = roster or Roster()
    problems = []
    for number, line in enumerate(lines, 1):
        words = line.split()
        try:
            _carry_out(roster, words)
        except (NobodyFree, ValueError) as problem:
            problems.append(f"line {number}: {problem}")
    return roster, problems


def _carry_out(roster, words):
    match words:
        case ["+", name, since, *licences]:
            roster.join(Driver(name, int(since), frozenset(licences or ["van"])))
        case ["-", name]:
            roster.leave(name)
        case ["break" | "back" as word, name]:
            roster.set_break(name, word == "break")
        case [time, line, *vehicle] if ":" in time:
            roster.give(Run(time, line, *vehicle))
        case _:
            raise ValueError(f"cannot read {' '.join(words)!r}")


def tally(roster):
    counts = {}
    for _, name in roster.given:
        counts[name] = counts.get(name, 0) + 1
    return counts
