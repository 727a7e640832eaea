"""Themes by name, and what they resolve to."""

from pathlib import Path

from themes.cascade import Style, Theme
from themes.source import ThemeError, parse


class Library:
    def __init__(self):
        self._themes = {}
        self._resolved = {}

    def add(self, name, text, parent=None):
        if name in self._themes:
            raise ThemeError(f"theme {name} exists")
        above = self._find(parent) if parent else None
        self._themes[name] = Theme(name, parse(text), above)

    def add_file(self, path, parent=None):
        path = Path(path)
        self.add(path.stem, path.read_text(encoding="utf-8"), parent)

    def resolve(self, name):
        """The style of a theme; the caller may change it."""
        return self._style(self._find(name)).copy()

    def _style(self, theme):
        style = self._resolved.get(theme.name)
        if style is None:
            style = self._style(theme.parent).copy() if theme.parent else Style()
            for rule in theme.rules:
                style.apply(rule)
            self._resolved[theme.name] = style
        return style

    def _find(self, name):
        if name not in self._themes:
            raise ThemeError(f"no theme {name}")
        return self._themes[name]

    def names(self):
        return sorted(self._themes, key=lambda name: (self._themes[name].depth(), name))
