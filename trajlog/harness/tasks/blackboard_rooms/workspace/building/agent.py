"""Agents: rules for one room."""

from building.rules import parse_rule


class Agent:
    """Takes actions as texts such as `hall: open window`."""

    def __init__(self, name, room, texts, quiet_after=None):
        self.name = name
        self.room = room
        self._rules = [parse_rule(text) for text in texts]
        self._quiet_after = quiet_after
        self.taken = []

    def observe(self, values):
        actions = []
        for rule in self._rules:
            if not rule.fires(values):
                continue
            if self._quiet_after is not None and len(self.taken) + len(actions) >= self._quiet_after:
                continue
            actions.append(f"{self.room}: {rule.action} {rule.subject}".rstrip())
        self.taken += actions
        return actions

    def add(self, text):
        self._rules.append(parse_rule(text))

    def reset(self):
        for rule in self._rules:
            rule.reset()
