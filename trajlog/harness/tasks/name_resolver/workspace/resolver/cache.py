"""Answers with an end."""

ANY = "*"


class AnswerCache:
    def __init__(self, clock, limit=1000):
        self._clock = clock
        self._limit = limit
        self._entries = {}

    def get(self, name, kind):
        for key in ((name, ANY), (name, kind)):
            answer = self._alive(key)
            if answer is not None:
                return answer
        return None

    def _alive(self, key):
        if key not in self._entries:
            return None
        answer, end = self._entries[key]
        if self._clock() >= end:
            del self._entries[key]
            return None
        return answer

    def put(self, name, kind, answer):
        if answer.ttl <= 0:
            return
        if answer.status in ("noname", "norecord"):
            self.forget(name)
            kind = ANY
        self._entries[name, kind] = (answer, self._clock() + answer.ttl)
        if len(self._entries) > self._limit:
            self._shrink()

    def forget(self, name):
        for key in [key for key in self._entries if key[0] == name]:
            del self._entries[key]

    def _shrink(self):
        """Drop what ends first."""
        ordered = sorted(self._entries, key=lambda key: (self._entries[key][1], key))
        for key in ordered[: len(self._entries) - self._limit]:
            del self._entries[key]

    def __len__(self):
        return len(self._entries)
