"""The invigilator's recorder: notes all keys of a terminal."""

from exams.hooks import Hook


class Recorder:
    def __init__(self, terminal):
        self.keys = []
        self._hook = Hook(terminal, self._on_key)

    def attach(self):
        self._hook.install()

    def detach(self):
        self._hook.remove()

    def _on_key(self, key, pass_on):
        self.keys.append(key)
        pass_on(key)

    def text(self):
        """The keys as one text, special keys in brackets."""
        return "".join(key if len(key) == 1 else f"[{key}]" for key in self.keys)
