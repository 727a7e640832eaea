"""The journal of all backups."""


class Journal:
    def __init__(self):
        self._notes = []

    def note(self, name, text):
        self._notes.append((name, text))

    def lines(self, name=None):
        return [f"{who}: {text}" for who, text in self._notes if name in (None, who)]

    def __len__(self):
        return len(self._notes)
