"""Colours that all windows share."""

from ui.signal import Signal

THEMES = {
    "light": {"paper": "white", "ink": "black"},
    "dark": {"paper": "black", "ink": "silver"},
    "sepia": {"paper": "beige", "ink": "brown"},
}


class Theme:
    def __init__(self, name="light"):
        self.changed = Signal("theme changed")
        self.name = name

    def use(self, name):
        if name not in THEMES:
            raise KeyError(f"no theme {name}")
        if name != self.name:
            self.name = name
            self.changed.emit(name)

    def colour(self, role):
        return THEMES[self.name][role]
