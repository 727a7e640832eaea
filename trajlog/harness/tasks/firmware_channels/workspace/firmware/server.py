"""The image server: entries by key, with checked references."""


class ServerError(RuntimeError):
    """The server refuses a change."""


class DanglingReference(ServerError):
    """A channel would point to an image that is not there."""


class InUse(ServerError):
    """An image that a channel points to cannot be deleted."""


class Offline(ServerError):
    """The server cannot be reached."""


class Server:
    def __init__(self):
        self._entries = {}
        self.log = []
        self.is_online = True

    def get(self, key):
        return self._entries.get(key)

    def keys(self):
        return sorted(self._entries)

    def put(self, key, value):
        self._check_online()
        if key.startswith("channel/") and value not in self._entries:
            raise DanglingReference(f"{key} -> {value}")
        self._entries[key] = value
        self.log.append(f"put {key}")

    def delete(self, key):
        self._check_online()
        for channel in self.keys():
            if channel.startswith("channel/") and self._entries[channel] == key:
                raise InUse(f"{key} by {channel}")
        self._entries.pop(key, None)
        self.log.append(f"delete {key}")

    def _check_online(self):
        if not self.is_online:
            raise Offline("server is offline")
