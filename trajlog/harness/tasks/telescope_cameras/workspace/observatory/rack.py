"""The cameras, which all telescopes share."""

from contextlib import contextmanager


class CameraError(RuntimeError):
    """The camera cannot do that."""


class Busy(CameraError):
    """Somebody else has the camera."""


class Camera:
    def __init__(self, name, pixels, filters):
        self.name = name
        self.pixels = pixels
        self.filters = filters
        self.is_on = False
        self.num_exposures = 0

    def expose(self, seconds, colour):
        """Brightness per pixel, in made-up units."""
        if not self.is_on:
            raise CameraError(f"{self.name} is off")
        if colour not in self.filters:
            raise CameraError(f"{self.name} has no {colour} filter")
        self.num_exposures += 1
        return seconds * self.filters[colour] // self.pixels


class Rack:
    """Lends cameras; a camera is switched on as long as it is lent."""

    def __init__(self, log):
        self._cameras = {}
        self._users = {}
        self._log = log

    def add(self, name, pixels, **filters):
        self._cameras[name] = Camera(name, pixels, filters)

    def user(self, name):
        return self._users.get(name)

    def take(self, name, user):
        if name not in self._cameras:
            raise CameraError(f"no camera {name}")
        if name in self._users:
            raise Busy(f"{self._users[name]} has {name}")
        self._users[name] = user
        self._cameras[name].is_on = True
        self._log.append(f"{name} on for {user}")
        return self._cameras[name]

    def put_back(self, camera):
        user = self._users.pop(camera.name, "nobody")
        camera.is_on = False
        self._log.append(f"{camera.name} off for {user}")

    @contextmanager
    def lend(self, name, user):
        camera = self.take(name, user)
        try:
            yield camera
        finally:
            self.put_back(camera)
