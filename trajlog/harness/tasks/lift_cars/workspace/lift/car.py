"""A car of the lift. It works in a thread of its own."""

import threading

WAITING = "waiting"
MOVING = "moving"
ENDED = "ended"
BROKEN = "broken"


class Car:
    def __init__(self, name, board, floor=0, doors=None):
        self.name = name
        self.floor = floor
        self.state = WAITING
        self.error = None
        self.driven = 0
        self.served = []
        self._board = board
        self._doors = doors or (lambda car, call: None)
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self):
        self._thread.start()

    def join(self, timeout=None):
        self._thread.join(timeout)

    def _run(self):
        try:
            while (call := self._board.take(self.floor)) is not None:
                self.state = MOVING
                self._serve(call)
                self.state = WAITING
            self.state = ENDED
        except Exception as error:
            self.error = error
            self.state = BROKEN

    def _serve(self, call):
        self._drive(call.origin)
        self._doors(self, call)
        self._drive(call.target)
        self.served.append(call.name)

    def _drive(self, floor):
        self.driven += abs(floor - self.floor)
        self.floor = floor
