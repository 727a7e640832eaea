"""What was asked and what was answered."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    user: str
    permission: str
    roles: tuple
    allowed: bool


class Trail:
    def __init__(self):
        self.entries = []

    def record(self, user, permission, roles, allowed):
        self.entries.append(Entry(user, permission, tuple(roles), allowed))

    def lines(self, user=None):
        return [
            f"{entry.user} {entry.permission} {'+'.join(entry.roles)} {'ok' if entry.allowed else 'refused'}"
            for entry in self.entries
            if user in (None, entry.user)
        ]
