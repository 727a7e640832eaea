"""A recorder for podcasts and the library of what was recorded."""

from podcast.library import Library, LibraryError
from podcast.recorder import Recorder, RecorderError
from podcast.store import Store

__all__ = ["Library", "LibraryError", "Recorder", "RecorderError", "Store"]
