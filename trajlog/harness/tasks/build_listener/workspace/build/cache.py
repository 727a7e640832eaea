"""What earlier builds made, by a fingerprint of everything that went into it."""

import hashlib
import threading


class Cache:
    def __init__(self):
        self._lock = threading.Lock()
        self._made = {}

    @staticmethod
    def fingerprint(target, inputs):
        digest = hashlib.sha256()
        for part in (target.recipe, target.argument, *inputs):
            data = part.encode()
            digest.update(len(data).to_bytes(8, "big"))
            digest.update(data)
        return digest.hexdigest()

    def find(self, key):
        with self._lock:
            return self._made.get(key)

    def keep(self, key, output):
        with self._lock:
            self._made[key] = output

    def __len__(self):
        with self._lock:
            return len(self._made)
