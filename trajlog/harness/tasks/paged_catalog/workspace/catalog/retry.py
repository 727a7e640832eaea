"""Try again."""

from catalog.errors import ServerBusy


class Retry:
    """Calls a function until it does not answer `ServerBusy`, at most `retries` more times."""

    def __init__(self, retries=2, log=None, pause=lambda attempt: None):
        self.retries = retries
        self._log = log if log is not None else []
        self._pause = pause

    def __call__(self, function, *args):
        attempt = 0
        while True:
            try:
                return function(*args)
            except ServerBusy as problem:
                attempt += 1
                if attempt > self.retries:
                    raise
                self._log.append(f"retry {attempt}: {problem}")
                self._pause(attempt)
