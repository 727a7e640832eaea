"""A night's work at one telescope."""

from contextlib import ExitStack
from dataclasses import dataclass


class SessionError(RuntimeError):
    """The session is not running."""


@dataclass(frozen=True)
class Frame:
    target: str
    camera: str
    colour: str
    value: int


class Session:
    """`with Session(...)`: opens the dome, unparks the telescope, takes the camera."""

    def __init__(self, observer, telescope, rack, camera):
        self.observer = observer
        self.frames = []
        self._telescope = telescope
        self._rack = rack
        self._first_camera = camera
        self._camera = None
        self._loan = None
        self._stack = None

    def __enter__(self):
        with ExitStack() as stack:
            stack.enter_context(self._telescope.opened_dome())
            stack.enter_context(self._telescope.unparked())
            stack.callback(self._return_camera)
            self._take_camera(self._first_camera)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *exc):
        stack, self._stack = self._stack, None
        return stack.__exit__(*exc)

    @property
    def camera(self):
        return self._camera.name if self._camera else None

    def change_camera(self, name):
        self._check_running()
        if name != self.camera:
            self._take_camera(name)

    def observe(self, target, altitude, colour, seconds=60, count=1):
        """Point and expose; the values of the new frames."""
        self._check_running()
        if self._telescope.target != target:
            self._telescope.point(target, altitude)
        values = []
        for _ in range(count):
            values.append(self._camera.expose(seconds, colour))
            self.frames.append(Frame(target, self.camera, colour, values[-1]))
        return values

    def _take_camera(self, name):
        loan = ExitStack()
        camera = loan.enter_context(self._rack.lend(name, self.observer))
        self._return_camera()
        self._camera, self._loan = camera, loan

    def _return_camera(self):
        loan, self._camera, self._loan = self._loan, None, None
        if loan is not None:
            loan.close()

    def _check_running(self):
        if self._stack is None:
            raise SessionError(f"no session of {self.observer} is running")
