"""All packages that can be had."""

from dataclasses import dataclass

from packages.versions import Requirement, VersionError, version


@dataclass(frozen=True)
class Package:
    name: str
    version: tuple
    size: int
    requires: tuple

    @property
    def title(self):
        return f"{self.name} {'.'.join(map(str, self.version))}"


class Registry:
    def __init__(self):
        self._packages = {}

    @classmethod
    def read(cls, text):
        registry = cls()
        for line in text.splitlines():
            line = line.partition("#")[0].strip()
            if line:
                registry.add(cls._package(line))
        return registry

    @staticmethod
    def _package(line):
        head, colon, tail = line.partition(":")
        parts = head.split()
        if not colon or len(parts) != 3:
            raise VersionError(f"cannot read {line!r}")
        requires = tuple(Requirement.parse(part) for part in tail.split(",") if part.strip())
        return Package(parts[0], version(parts[1]), int(parts[2]), requires)

    def add(self, package):
        known = self._packages.setdefault(package.name, [])
        known.append(package)
        known.sort(key=lambda entry: entry.version, reverse=True)

    def candidates(self, name):
        """The newest first."""
        return list(self._packages.get(name, ()))
