"""Undo and redo, and whether the text is as it was saved."""


class History:
    """Keeps at most `limit` edits for undo."""

    def __init__(self, limit=50):
        self._limit = limit
        self._done = []
        self._undone = []
        self._saved = 0

    def push(self, edit):
        """Note an edit that was just made."""
        if self._saved is not None and self._saved > len(self._done):
            self._saved = None  # what was saved can only be reached by redo, which ends here
        self._done.append(edit)
        self._undone.clear()
        if len(self._done) > self._limit:
            self._done.pop(0)
            self._saved = None

    def undo(self, buffer):
        """Take the latest edit back; whether there was one."""
        if not self._done:
            return False
        edit = self._done.pop()
        edit.revert(buffer)
        self._undone.append(edit)
        return True

    def redo(self, buffer):
        if not self._undone:
            return False
        edit = self._undone.pop()
        edit.apply(buffer)
        self._done.append(edit)
        return True

    def mark_saved(self):
        self._saved = len(self._done)

    @property
    def clean(self):
        """Whether the text is in the state in which it was saved (or read) last."""
        return self._saved == len(self._done)

    def depth(self):
        return len(self._done), len(self._undone)
