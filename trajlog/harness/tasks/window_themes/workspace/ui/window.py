"""A window. It paints itself anew when the theme changes."""

from ui.geometry import Rect


class Window:
    def __init__(self, title, theme, canvas, rect=Rect(0, 0, 20, 10)):
        self.title = title
        self.rect = rect
        self._theme = theme
        self._canvas = canvas
        self._parts = []
        theme.changed.connect(self.repaint)

    def add(self, part):
        self._parts.append(part)
        part.window = self
        return part

    def repaint(self, name=None):
        self._canvas.append(f"{self.title} in {self._theme.colour('ink')} on {self._theme.colour('paper')}")
        for part in self._parts:
            part.paint(self._canvas)


class Label:
    window = None

    def __init__(self, text):
        self.text = text

    def paint(self, canvas):
        canvas.append(f"  {self.text}")
