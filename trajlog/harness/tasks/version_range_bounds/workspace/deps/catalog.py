"""What is published."""

from deps.ranges import Range
from vendor.minisem import Version


class Catalog:
    def __init__(self):
        self._packages = {}

    def publish(self, name, version, requires=None):
        needs = {other: Range(text) for other, text in (requires or {}).items()}
        self._packages.setdefault(name, {})[Version.parse(version)] = needs

    def withdraw(self, name, version):
        del self._packages[name][Version.parse(version)]

    def versions(self, name):
        """The newest first."""
        if name not in self._packages:
            raise LookupError(f"no package {name!r}")
        return sorted(self._packages[name], reverse=True)

    def needs(self, name, version):
        return self._packages[name][version]

    def newest(self, name, text="*"):
        wanted = Range(text)
        return next((str(version) for version in self.versions(name) if wanted.takes(version)), None)
