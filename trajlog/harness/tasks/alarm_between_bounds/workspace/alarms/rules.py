"""Alarms and the monitor that feeds them."""

from dataclasses import dataclass

from alarms.parser import Parser
from alarms.words import RuleError


@dataclass
class Alarm:
    name: str
    condition: object
    seconds: float = 0
    since: float | None = None
    on: bool = False

    def update(self, now, values):
        """Returns whether the alarm went on or off."""
        before = self.on
        if not self.condition.compute(values):
            self.since, self.on = None, False
        else:
            if self.since is None:
                self.since = now
            self.on = now - self.since >= self.seconds
        return self.on != before


def parse_rules(text):
    """Lines `alarm NAME: CONDITION [for TIME]`; `#` begins a comment."""
    alarms = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        head, colon, condition = line.partition(":")
        words = head.split()
        if not colon or len(words) != 2 or words[0].lower() != "alarm":
            raise RuleError(f"line {number}: no alarm")
        try:
            alarms.append(Alarm(words[1], *Parser(condition).rule()))
        except RuleError as error:
            raise RuleError(f"line {number}: {error}") from None
    return alarms


class Monitor:
    def __init__(self, text):
        self.alarms = parse_rules(text)
        self.log = []

    def needed(self):
        return sorted(set().union(*(alarm.condition.names() for alarm in self.alarms)))

    def feed(self, now, **values):
        """Updates all alarms; returns the names of those that are on."""
        for alarm in self.alarms:
            if alarm.update(now, values):
                self.log.append(f"{now} {alarm.name} {'on' if alarm.on else 'off'}")
        return [alarm.name for alarm in self.alarms if alarm.on]
