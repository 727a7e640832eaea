"""People and their parents."""

from dataclasses import dataclass, field


class FamilyError(ValueError):
    pass


@dataclass
class Person:
    name: str
    born: int | None = None
    parents: list = field(default_factory=list, repr=False)


class Tree:
    def __init__(self):
        self._people = {}

    def __contains__(self, name):
        return name in self._people

    def __len__(self):
        return len(self._people)

    def add(self, name, born=None, parents=()):
        if name in self._people:
            raise FamilyError(f"{name} is in the tree already")
        if len(parents) > 2:
            raise FamilyError(f"{name} has {len(parents)} parents")
        person = Person(name, born, [self[parent] for parent in parents])
        for parent in person.parents:
            if parent.born and born and parent.born >= born:
                raise FamilyError(f"{name} is older than {parent.name}")
        self._people[name] = person
        return person

    def __getitem__(self, name):
        try:
            return self._people[name]
        except KeyError:
            raise FamilyError(f"nobody is called {name}") from None

    def children(self, name):
        parent = self[name]
        return [person.name for person in self._people.values() if parent in person.parents]

    @classmethod
    def parse(cls, text):
        """One person a line, parents first: `name [year] [< parent [+ parent]]`."""
        tree = cls()
        for line in filter(str.strip, text.splitlines()):
            who, _, parents = line.partition("<")
            name, *year = who.split()
            names = [parent.strip() for parent in parents.split("+") if parent.strip()]
            tree.add(name, int(year[0]) if year else None, names)
        return tree
