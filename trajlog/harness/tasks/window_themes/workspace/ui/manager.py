"""Which windows there are, and which is in front."""

from ui.geometry import Rect
from ui.signal import Signal
from ui.theme import Theme
from ui.window import Window


class WindowManager:
    def __init__(self, screen=Rect(0, 0, 80, 24)):
        self.screen = screen
        self.theme = Theme()
        self.canvas = []
        self.focus_changed = Signal("focus changed")
        self._stack = []

    def open(self, title, rect=Rect(0, 0, 20, 10)):
        window = Window(title, self.theme, self.canvas, rect)
        self._stack.append(window)
        self.focus_changed.emit(title)
        return window

    def close(self, title):
        front = self.front
        self._stack.remove(self._find(title))
        if self.front != front and self.front is not None:
            self.focus_changed.emit(self.front)

    def focus(self, title):
        window = self._find(title)
        if window is not self._stack[-1]:
            self._stack.remove(window)
            self._stack.append(window)
            self.focus_changed.emit(title)

    def click(self, x, y):
        """Bring the window under the pointer to the front; its title or None."""
        for window in reversed(self._stack):
            if window.rect.contains(x, y):
                self.focus(window.title)
                return window.title
        return None

    def tile(self):
        """Windows side by side, in the order of the stack."""
        if self._stack:
            for window, rect in zip(self._stack, self.screen.columns(len(self._stack)), strict=True):
                window.rect = rect
        return [tuple(window.rect) for window in self._stack]

    @property
    def front(self):
        return self._stack[-1].title if self._stack else None

    def titles(self):
        return [window.title for window in self._stack]

    def _find(self, title):
        for window in self._stack:
            if window.title == title:
                return window
        raise KeyError(f"no window {title}")
