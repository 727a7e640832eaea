"""What is to be backed up."""

from dataclasses import dataclass
from fnmatch import fnmatchcase


@dataclass(frozen=True)
class Plan:
    """Patterns as in a shell; a path that matches none of `include` or one of `exclude` is left out."""

    name: str
    include: tuple = ("*",)
    exclude: tuple = ()
    keep: int = 3

    def wants(self, path):
        return any(fnmatchcase(path, pattern) for pattern in self.include) and not any(
            fnmatchcase(path, pattern) for pattern in self.exclude
        )

    def changed(self, volume, known):
        """Paths to copy: those whose version differs from the known one."""
        return [
            path
            for path, version in volume.versions().items()
            if self.wants(path) and known.get(path) != version
        ]

    @classmethod
    def read(cls, text):
        """A plan such as `nightly +*.txt -tmp/* keep=2`."""
        name, *words = text.split()
        include, exclude, keep = [], [], 3
        for word in words:
            if word.startswith("+"):
                include.append(word[1:])
            elif word.startswith("-"):
                exclude.append(word[1:])
            elif word.startswith("keep="):
                keep = int(word[5:])
            else:
                raise ValueError(f"plan {name}: {word!r}")
        return cls(name, tuple(include) or ("*",), tuple(exclude), keep)
