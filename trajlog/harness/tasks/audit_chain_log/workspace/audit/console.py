"""Commands for operators: `verify`, `show ACTOR`, `count`, `days`, `pauses SECONDS`, `segments`, `find PATH VALUE`."""

import json

from audit.log import AuditLog
from audit.query import actions_by_actor, describe, find_detail
from audit.report import day_lines, pauses, sizes
from audit.verify import verify


def _value(text):
    try:
        return json.loads(text)
    except ValueError:
        return text


def main(argv, store, write=print):
    log = AuditLog(store, clock=lambda: 0)
    match argv:
        case ["verify"]:
            findings = verify(log)
            for finding in findings:
                write(str(finding))
            write(f"{len(findings)} findings")
            return 1 if findings else 0
        case ["show", actor]:
            for entry in log.recent(actor):
                write(describe(entry))
        case ["count"]:
            for actor, counts in actions_by_actor(log.entries()).items():
                write(f"{actor}: " + ", ".join(f"{action} {count}" for action, count in counts.items()))
        case ["days"]:
            for line in day_lines(log.entries()):
                write(str(line))
        case ["pauses", seconds] if seconds.isdigit():
            for number, length in pauses(log.entries(), int(seconds)):
                write(f"{length} s before entry {number}")
        case ["segments"]:
            for line in sizes(log.segments):
                write(line)
        case ["find", path, value]:
            write(" ".join(map(str, find_detail(log.entries(), path, _value(value)))) or "nothing")
        case _:
            write(__doc__)
            return 2
    return 0
