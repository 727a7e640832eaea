"""Where sessions rest between requests: text, with a time until which it is good."""


class MemoryBackend:
    def __init__(self, clock):
        self._clock = clock
        self._texts = {}
        self.writes = 0

    def get(self, key):
        text, until = self._texts.get(key, (None, 0))
        if text is None or self._clock() >= until:
            self._texts.pop(key, None)
            return None
        return text

    def set(self, key, text, seconds):
        self.writes += 1
        self._texts[key] = (text, self._clock() + seconds)

    def delete(self, key):
        self._texts.pop(key, None)

    def keys(self):
        return sorted(key for key in list(self._texts) if self.get(key) is not None)
