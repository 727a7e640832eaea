"""Reads a file and whatever it includes into settings."""

import re

from iniconf.errors import IniError
from iniconf.lines import logical_lines
from iniconf.settings import Settings
from iniconf.sources import beside

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
GENERAL = "general"
MAX_DEPTH = 10


class Parser:
    def __init__(self, source):
        self._source = source
        self._settings = Settings()
        self._open = []
        self._file = ""
        self._line = 0
        self._section = GENERAL

    def parse(self, name):
        self._read(name)
        return self._settings

    @property
    def _place(self):
        return f"{self._file}:{self._line}"

    def _fail(self, message):
        raise IniError(self._place, message)

    def _read(self, name):
        if name in self._open:
            self._fail(f"{name} includes itself")
        if len(self._open) == MAX_DEPTH:
            self._fail("includes are nested too deeply")
        try:
            text = self._source.read(name)
        except KeyError:
            self._fail(f"cannot find {name}")
        section = self._section
        self._open.append(name)
        self._file, self._section = name, GENERAL
        for self._line, line in logical_lines(text):
            self._take(line)
        self._open.pop()
        self._section = section

    def _take(self, line):
        if line.startswith("@"):
            self._directive(*line[1:].split(None, 1))
        elif line.startswith("["):
            if not line.endswith("]") or not NAME.fullmatch(line[1:-1].strip()):
                self._fail(f"bad section {line}")
            self._section = line[1:-1].strip()
        else:
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or not NAME.fullmatch(key):
                self._fail(f"expected key = value, not {line!r}")
            self._settings.put(self._section, key, value, self._place)

    def _directive(self, word="", argument=""):
        if word == "include" and argument:
            self._read(beside(self._file, argument))
        elif word == "unset" and argument:
            if not self._settings.remove(self._section, argument):
                self._fail(f"{argument} is not set in [{self._section}]")
        else:
            self._fail(f"unknown directive @{word}")


def load(source, name):
    """The settings of that file."""
    return Parser(source).parse(name)
