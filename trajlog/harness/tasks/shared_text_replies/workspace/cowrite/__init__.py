"""Writing a text together."""

from cowrite.change import Change, ChangeError
from cowrite.cursors import Cursors
from cowrite.document import Document, Revision
from cowrite.helpers import Recorder, SpellingHelper, WordCount

__all__ = [
    "Change", "ChangeError", "Cursors", "Document", "Recorder", "Revision", "SpellingHelper", "WordCount",
]
