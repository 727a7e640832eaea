"""Rows back into objects. Objects are made first and filled later, so rows may refer to any other row."""

from routes.model import Leg, Place, Plan, Tour

KINDS = {"place": Place, "leg": Leg, "tour": Tour, "plan": Plan}


class UnpackError(ValueError):
    """Rows that do not fit together."""


class Unpacker:
    def __init__(self, rows):
        self._rows = rows
        self._objects = [self._blank(kind) for kind, _ in rows]

    def _blank(self, kind):
        if kind not in KINDS:
            raise UnpackError(f"unknown kind {kind!r}")
        made = KINDS[kind]
        return made.__new__(made)

    def unpack(self, value):
        if isinstance(value, list):
            return [self.unpack(item) for item in value]
        if isinstance(value, dict):
            number = value.get("row")
            if not isinstance(number, int) or not 0 <= number < len(self._objects):
                raise UnpackError(f"no row {number!r}")
            return self._objects[number]
        return value

    def fill(self):
        for target, (_, fields) in zip(self._objects, self._rows, strict=True):
            for name, value in fields.items():
                setattr(target, name, self.unpack(value))
        return self
