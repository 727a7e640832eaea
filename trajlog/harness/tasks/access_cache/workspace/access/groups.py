"""Groups of people; groups may hold groups."""

from dataclasses import dataclass, field

from access.memo import forget_answers, remembered


class DirectoryError(Exception):
    pass


@dataclass(frozen=True)
class Group:
    name: str
    people: set = field(default_factory=set, compare=False)
    groups: list = field(default_factory=list, compare=False)


@dataclass(unsafe_hash=True)
class Directory:
    """All groups of one company."""

    realm: str
    walks: int = field(default=0, compare=False)
    groups: dict = field(default_factory=dict, compare=False)

    def add_group(self, name, *people, groups=()):
        if name in self.groups:
            raise DirectoryError(f"group {name} exists")
        self.groups[name] = Group(name, set(people), [self.group(inner) for inner in groups])
        self.changed()
        return self.groups[name]

    def group(self, name):
        if name not in self.groups:
            raise DirectoryError(f"no group {name}")
        return self.groups[name]

    def remove_group(self, name):
        gone = self.group(name)
        for group in self.groups.values():
            if gone in group.groups:
                group.groups.remove(gone)
        del self.groups[name]
        self.changed()

    def join(self, person, name):
        self.group(name).people.add(person)
        self.changed()

    def leave(self, person, name):
        self.group(name).people.discard(person)
        self.changed()

    def nest(self, inner, outer):
        if outer == inner or self.holds(inner, outer):
            raise DirectoryError(f"{inner} holds {outer} already")
        self.group(outer).groups.append(self.group(inner))
        self.changed()

    def changed(self):
        forget_answers(self)

    def holds(self, outer, inner):
        """Whether a group is somewhere below another one."""
        return any(group.name == inner or self.holds(group.name, inner) for group in self.group(outer).groups)

    @remembered
    def groups_of(self, person):
        """Names of all groups that a person belongs to, directly or not."""
        self.walks += 1
        found = {name for name, group in self.groups.items() if person in group.people}
        todo = list(found)
        while todo:
            inner = self.groups[todo.pop()]
            outer = {name for name, group in self.groups.items() if inner in group.groups} - found
            found |= outer
            todo += outer
        return frozenset(found)
