"""All devices, as a tree."""

import json
from pathlib import Path

from devices.device import Device
from devices.drivers import KINDS


class BoardError(ValueError):
    """A description that makes no board."""


class Board:
    def __init__(self, rows):
        self._devices = {}
        self._roots = []
        for row in rows:
            self._add(row["name"], row["kind"], row.get("parent"))

    @classmethod
    def load(cls, path=Path(__file__).with_name("board.json")):
        return cls(json.loads(Path(path).read_text(encoding="utf-8")))

    def _add(self, name, kind, parent):
        if name in self._devices:
            raise BoardError(f"there are two devices {name}")
        if kind not in KINDS:
            raise BoardError(f"{name}: no driver for {kind}")
        if parent is not None and parent not in self._devices:
            raise BoardError(f"{name}: no device {parent} above it")
        device = Device(name, KINDS[kind](), self._devices.get(parent))
        self._devices[name] = device
        if parent is None:
            self._roots.append(device)

    def __getitem__(self, name):
        return self._devices[name]

    def deepest_first(self):
        return [device for root in self._roots for device in root.below()]

    def states(self):
        return {name: device.state for name, device in self._devices.items()}

    def asleep(self):
        return [name for name, device in self._devices.items() if not device.awake]
