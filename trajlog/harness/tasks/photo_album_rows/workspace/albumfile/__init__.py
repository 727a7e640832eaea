"""Reading and writing album files."""

from albumfile.cursor import Cursor, Row
from albumfile.file import Album, AlbumError

__all__ = ["Album", "AlbumError", "Cursor", "Row"]
