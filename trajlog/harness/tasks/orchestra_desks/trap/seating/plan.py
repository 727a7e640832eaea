"""The seating of one concert."""

from seating.model import SeatingError


class Seating:
    """Sections by name, in score order."""

    def __init__(self, title, conductor, sections=()):
        self.title = title
        self.conductor = conductor
        self._sections = {section.name: section.copy() for section in sections}
        self._kept = {}

    def section(self, name):
        try:
            return self._sections[name]
        except KeyError:
            raise SeatingError(f"no section {name}") from None

    def sections(self):
        return list(self._sections.values())

    def variant(self, title, conductor=None, reduce=None):
        """A seating to begin with for another concert; `reduce` maps sections to a number of desks."""
        sections = [
            section._replace(desks=[desk._replace(players=list(desk.players)) for desk in section.desks])
            for section in self.sections()
        ]
        made = Seating(title, conductor or self.conductor, sections)
        for name, desks in (reduce or {}).items():
            made._sections[name] = made.section(name).reduced(desks)
        return made

    def substitute(self, name, player, by):
        players = self.section(name).desk_of(player).players
        players[players.index(player)] = by

    def swap(self, name, one, other):
        section = self.section(name)
        first, second = section.desk_of(one).players, section.desk_of(other).players
        i, j = first.index(one), second.index(other)
        first[i], second[j] = other, one

    def dismiss(self, name, player):
        """Take a player out; those behind move up."""
        section = self.section(name)
        section.desk_of(player)
        size = max(len(desk.players) for desk in section.desks)
        left = [present for present in section.players() if present != player]
        for place, desk in enumerate(section.desks):
            desk.players[:] = left[place * size : (place + 1) * size]

    def divide(self, name, *numbers):
        section = self.section(name)
        desks = [desk._replace(divisi=desk.number in numbers) for desk in section.desks]
        self._sections[name] = section._replace(desks=desks)

    def keep(self, name):
        self._kept[name] = [section.copy() for section in self.sections()]

    def restore(self, name):
        if name not in self._kept:
            raise SeatingError(f"nothing kept as {name}")
        self._sections = {section.name: section.copy() for section in self._kept[name]}

    def history(self):
        """What was kept, as printed lines."""
        return {name: [line(section) for section in kept] for name, kept in self._kept.items()}

    def lines(self):
        return [line(section) for section in self.sections()]


def line(section):
    return f"{section.name} ({section.side}): " + " ".join(desk.label() for desk in section.desks)
