from observatory.rack import Busy, CameraError, Rack
from observatory.session import Session, SessionError
from observatory.telescope import Telescope

__all__ = ["Busy", "CameraError", "Rack", "Session", "SessionError", "Telescope"]
