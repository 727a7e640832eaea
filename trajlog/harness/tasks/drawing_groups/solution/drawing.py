"""A drawing: named shapes with attributes, and an undo stack."""

from contextlib import contextmanager


class DrawingError(ValueError):
    """A change that makes no sense."""


class UndoStack:
    """Changes are grouped: what happens within a group is undone in one go."""

    def __init__(self):
        self._groups = []
        self._steps = []
        self._depth = 0

    def record(self, undo):
        self._steps.append(undo)
        if not self._depth:
            self._seal("change")

    @contextmanager
    def group(self, label):
        self._depth += 1
        start = len(self._steps)
        try:
            yield
        except BaseException:
            self._depth -= 1
            while len(self._steps) > start:
                self._steps.pop()()
            raise
        self._depth -= 1
        if not self._depth:
            self._seal(label)

    def _seal(self, label):
        if self._steps:
            self._groups.append((label, self._steps))
            self._steps = []

    def undo(self):
        """Undo the latest group. Returns its label."""
        if self._depth or not self._groups:
            raise DrawingError("nothing to undo")
        label, steps = self._groups.pop()
        for step in reversed(steps):
            step()
        return label

    def labels(self):
        return [label for label, _ in self._groups]


class Drawing:
    def __init__(self):
        self.shapes = {}
        self.history = UndoStack()

    def add(self, name, **attributes):
        if name in self.shapes:
            raise DrawingError(f"there is a shape {name}")
        self.shapes[name] = attributes
        self.history.record(lambda: self.shapes.pop(name))

    def change(self, name, **attributes):
        if name not in self.shapes:
            raise DrawingError(f"no shape {name}")
        old = self.shapes[name]
        self.shapes[name] = old | attributes
        self.history.record(lambda: self.shapes.update({name: old}))

    def move(self, names, dx, dy):
        """Move several shapes; all or none."""
        with self.history.group(f"move {len(names)}"):
            for name in names:
                shape = self.shapes.get(name, {})
                self.change(name, x=shape.get("x", 0) + dx, y=shape.get("y", 0) + dy)

    def row(self, prefix, count, gap):
        with self.history.group(f"row of {count}"):
            for number in range(count):
                self.add(f"{prefix}{number}")
                self.move([f"{prefix}{number}"], number * gap, 0)
