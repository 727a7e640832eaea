"""A device that updates itself from the server."""


class Device:
    def __init__(self, name, channel, server):
        self.name = name
        self.channel = channel
        self.version = None
        self._server = server

    def poll(self):
        """The line of the manifest to install, or None if there is nothing new."""
        key = self._server.get(f"channel/{self.channel}")
        manifest = self._server.get(key) if key else None
        if manifest is None or manifest.version == self.version:
            return None
        self.version = manifest.version
        return manifest.line()

    def install(self, repository, steps=4):
        """Report the progress of an installation."""
        for step in range(1, steps + 1):
            repository.report(self.name, 100 * step // steps)
