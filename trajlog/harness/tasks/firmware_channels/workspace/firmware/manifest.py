"""Manifests of images."""

from dataclasses import dataclass
from zlib import crc32


def parsed(version):
    return tuple(int(part) for part in version.split("."))


@dataclass(frozen=True)
class Manifest:
    board: str
    version: str
    size: int
    checksum: int
    notes: str = ""

    @classmethod
    def of(cls, board, version, image, notes=""):
        parsed(version)
        return cls(board, version, len(image), crc32(image), notes)

    @property
    def key(self):
        return f"image/{self.board}/{self.version}"

    def line(self):
        text = f"{self.board} {self.version} {self.size} B {self.checksum:08x}"
        return f"{text} - {self.notes}" if self.notes else text
