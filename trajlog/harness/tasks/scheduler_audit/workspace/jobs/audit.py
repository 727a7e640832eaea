"""Who did what."""

from jobs.context import current


class Audit:
    def __init__(self):
        self._rows = []

    def note(self, action):
        context = current()
        tags = ",".join(f"{name}={value}" for name, value in sorted(context.tags.items()))
        self._rows.append((context.user, action, tags))

    def rows(self):
        return list(self._rows)

    def by_user(self):
        """Number of actions of every user."""
        counts = {}
        for user, _, _ in self._rows:
            counts[user] = counts.get(user, 0) + 1
        return counts
