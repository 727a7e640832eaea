"""Timers with turns at an interval."""


class TimerError(RuntimeError):
    """A timer that runs already, or has no sensible interval."""


class Timer:
    """Calls `turn()` every so many seconds while it runs. `failed(error)` hears of a turn that raises."""

    def __init__(self, schedule, every, turn, failed=None):
        if every <= 0:
            raise TimerError(f"no interval: {every}")
        self._schedule = schedule
        self._turn = turn
        self._failed = failed
        self._plan = None
        self.every = every
        self.turns = 0

    @property
    def running(self):
        return self._plan is not None

    def start(self):
        if self.running:
            raise TimerError("the timer is running")
        self._arm()

    def stop(self):
        if self._plan is not None:
            self._plan.cancel()
            self._plan = None

    def restart(self, every=None):
        if every is not None:
            if every <= 0:
                raise TimerError(f"no interval: {every}")
            self.every = every
        self.stop()
        self.start()

    def _arm(self):
        self._plan = self._schedule.after(self.every, self._due)

    def _due(self):
        self.turns += 1
        try:
            self._turn()
        except Exception as error:
            self.stop()
            if self._failed is None:
                raise
            self._failed(error)
        if self.running:
            self._arm()
