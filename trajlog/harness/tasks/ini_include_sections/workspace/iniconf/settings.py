"""Values by section and key, with the place where each was set last."""

import re

from iniconf.errors import IniError

REFERENCE = re.compile(r"\$\{(?:([\w.-]+):)?([\w.-]+)\}")
WORDS = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}


class Settings:
    def __init__(self):
        self._values = {}

    def put(self, section, key, value, place):
        self._values.setdefault(section, {})[key] = value, place

    def remove(self, section, key):
        return self._values.get(section, {}).pop(key, None) is not None

    def sections(self):
        return sorted(name for name, keys in self._values.items() if keys)

    def as_dict(self):
        return {section: {key: self.get(section, key) for key in self._values[section]} for section in self.sections()}

    def origin(self, section, key):
        return self._find(section, key)[1]

    def get(self, section, key, seen=()):
        """The text, with `${key}` and `${section:key}` replaced."""
        value, place = self._find(section, key)
        if (section, key) in seen:
            raise IniError(place, f"{key} refers to itself")

        def replaced(match):
            return self.get(match[1] or section, match[2], (*seen, (section, key)))

        return REFERENCE.sub(replaced, value)

    def get_int(self, section, key):
        value, place = self.get(section, key), self.origin(section, key)
        if not re.fullmatch(r"-?\d+", value):
            raise IniError(place, f"{key} is no number: {value!r}")
        return int(value)

    def get_flag(self, section, key):
        value = self.get(section, key).lower()
        if value not in WORDS:
            raise IniError(self.origin(section, key), f"{key} is neither yes nor no: {value!r}")
        return WORDS[value]

    def _find(self, section, key):
        try:
            return self._values[section][key]
        except KeyError:
            raise LookupError(f"{section}.{key} is not set") from None
