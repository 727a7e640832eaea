"""The current plan, its changes, undo and redo."""

from copy import deepcopy

from netplan.history import Change, History
from netplan.merge import difference, merge
from netplan.rules import check


class Planner:
    def __init__(self, document=None):
        first = deepcopy(document) if document is not None else {"devices": {}, "links": {}}
        self.history = History(check(first))
        self._document = deepcopy(first)

    @classmethod
    def with_history(cls, history):
        planner = cls(history.first)
        planner.history = history
        planner._document = history.document()
        return planner

    @property
    def document(self):
        """A copy of the current plan."""
        return deepcopy(self._document)

    def apply(self, title, patch, author="?"):
        """Apply a patch; a plan that breaks the rules is refused and changes nothing."""
        patch = deepcopy(patch)
        self._document = check(merge(self.document, patch))
        self.history.record(Change(title, author, patch))
        return self

    def replace(self, title, document, author="?"):
        """Make the plan equal to `document`."""
        return self.apply(title, difference(self._document, document), author)

    def undo(self):
        self._document = self.history.step(-1)
        return self

    def redo(self):
        self._document = self.history.step(+1)
        return self

    def add_device(self, name, kind, ports=(), author="?"):
        device = {"kind": kind, "ports": {port: {"vlans": [1]} for port in ports}}
        return self.apply(f"add {name}", {"devices": {name: device}}, author)

    def remove_device(self, name, author="?"):
        """Remove a device and the links that end there."""
        ends = {link: entry["ends"] for link, entry in self._document["links"].items()}
        gone = {link: None for link, found in ends.items() if any(end.split(".")[0] == name for end in found)}
        return self.apply(f"remove {name}", {"devices": {name: None}, "links": gone}, author)

    def connect(self, link, first, second, author="?"):
        return self.apply(f"connect {link}", {"links": {link: {"ends": [first, second]}}}, author)

    def set_vlans(self, end, vlans, author="?"):
        device, _, port = end.partition(".")
        patch = {"devices": {device: {"ports": {port: {"vlans": vlans}}}}}
        return self.apply(f"vlans of {end}", patch, author)
