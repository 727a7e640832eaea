"""Images, channels, and how far devices have come."""

from dataclasses import replace

from firmware.manifest import Manifest, parsed


class RepositoryError(ValueError):
    """That cannot be done with the images there are."""


class Repository:
    def __init__(self, store):
        self._store = store

    def upload(self, board, version, image, notes=""):
        manifest = Manifest.of(board, version, image, notes)
        if self._store.get(manifest.key) is not None:
            raise RepositoryError(f"{manifest.key} exists")
        self._store.put(manifest.key, manifest)
        return manifest

    def annotate(self, board, version, notes):
        manifest = self.manifest(board, version)
        self._store.put(manifest.key, replace(manifest, notes=notes))

    def manifest(self, board, version):
        key = f"image/{board}/{version}"
        manifest = self._store.get(key)
        if manifest is None:
            raise RepositoryError(f"no {key}")
        return manifest

    def versions(self, board):
        """Versions of a board, the newest first."""
        prefix = f"image/{board}/"
        found = [key.removeprefix(prefix) for key in self._store.keys(prefix)]
        return sorted(found, key=parsed, reverse=True)

    def point(self, channel, board, version):
        """Let a channel point to an image."""
        self._store.put(f"channel/{channel}", self.manifest(board, version).key)

    def release(self, channel, board, version, image, notes=""):
        self.upload(board, version, image, notes)
        self.point(channel, board, version)

    def roll_back(self, channel, board):
        """Point to the next older version and withdraw the newer one; the version now current."""
        current = self.current(channel)
        older = [version for version in self.versions(board) if parsed(version) < parsed(current.version)]
        if not older:
            raise RepositoryError(f"{channel} has no older version")
        self.point(channel, board, older[0])
        self.withdraw(board, current.version)
        return older[0]

    def withdraw(self, board, version):
        self._store.delete(self.manifest(board, version).key)

    def current(self, channel):
        key = self._store.get(f"channel/{channel}")
        return self._store.get(key) if key else None

    def report(self, device, percent):
        self._store.put(f"device/{device}", percent)

    def progress(self):
        return {key.removeprefix("device/"): self._store.get(key) for key in self._store.keys("device/")}
