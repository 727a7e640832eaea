"""Where templates come from."""

import json


class TemplateError(Exception):
    pass


class MemorySource:
    """Texts by name with a version that grows with every change."""

    def __init__(self, texts=None):
        self._texts = {}
        self._versions = {}
        for name, text in (texts or {}).items():
            self.write(name, text)

    @classmethod
    def from_file(cls, path):
        with open(path, encoding="utf-8") as stream:
            return cls(json.load(stream))

    def write(self, name, text):
        self._texts[name] = text
        self._versions[name] = self._versions.get(name, 0) + 1

    def remove(self, name):
        del self._texts[name]
        self._versions[name] += 1

    def read(self, name):
        if name not in self._texts:
            raise TemplateError(f"no template {name}")
        return self._texts[name]

    def version(self, name):
        """None for a name that does not exist."""
        return self._versions[name] if name in self._texts else None
