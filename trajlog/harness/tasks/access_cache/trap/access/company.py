"""A company: its directory, its folders and its questions."""

from access.folders import LEVELS, Folders
from access.groups import Directory


class Company:
    def __init__(self, name, realm="default"):
        self.name = name
        self.directory = Directory(f"{realm}/{name}")
        self.folders = Folders()

    @property
    def walks(self):
        return self.directory.walks

    def level(self, person, path):
        return self.folders.level(path, self.directory.groups_of(person))

    def may(self, person, what, path):
        return LEVELS.index(self.level(person, path)) >= LEVELS.index(what)

    def remove_group(self, name):
        self.directory.remove_group(name)
        self.folders.forget_group(name)

    def report(self, people, path):
        return {person: self.level(person, path) for person in sorted(people)}
