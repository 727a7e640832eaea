"""Failures of the patch tool."""


class PatchError(ValueError):
    """Base of all."""


class BadPatch(PatchError):
    """The patch cannot be read."""


class PatchFailed(PatchError):
    def __init__(self, number, hunk):
        super().__init__(f"hunk {number} ({hunk.title or 'untitled'}) fits nowhere")
        self.number = number
