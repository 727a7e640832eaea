"""Where everybody's cursor is."""


class Cursors:
    """A subscriber that moves cursors along."""

    def __init__(self):
        self.at = {}
        self.number = 0

    def put(self, name, position):
        self.at[name] = position

    async def __call__(self, revision):
        if revision.number <= self.number:
            raise ValueError(f"revision {revision.number} after {self.number}")
        self.number = revision.number
        for name, position in self.at.items():
            own = name == revision.author
            self.at[name] = revision.change.moved(position, sticky=not own)
