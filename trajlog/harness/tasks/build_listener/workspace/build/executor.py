"""Makes targets, several at a time."""

import queue
import threading

from build.cache import Cache
from build.errors import BuildError
from build.progress import BUILT, FAILED, FRESH, RUNNING, SKIPPED, Progress


class Executor:
    """`listener(event, name)` hears of everything that happens: running, built, fresh, failed, skipped.

    A listener runs in the thread of the worker. That a target is built is told before what needs it is started.
    """

    def __init__(self, graph, recipes, cache=None, workers=2, listener=None):
        self._graph = graph
        self._recipes = recipes
        self._cache = cache if cache is not None else Cache()
        self._workers = workers
        self._tell = listener or (lambda event, name: None)
        self._lock = threading.Lock()
        self._queue = queue.SimpleQueue()
        self._over = threading.Event()
        self._progress = None
        self._cancelled = False
        self.outputs = {}
        self.errors = {}

    def run(self, goals, timeout=2):
        """Make the goals and all they need. Returns the number of targets by state."""
        order = self._graph.order(goals)
        with self._lock:
            self._progress = Progress(self._graph, order)
            ready = self._progress.release()
        for name in ready:
            self._queue.put(name)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        finished = not order or self._over.wait(timeout)
        for _ in threads:
            self._queue.put(None)
        if not finished:
            raise BuildError(f"not finished within {timeout} s")
        for thread in threads:
            thread.join(timeout)
        return self.status()

    def status(self):
        with self._lock:
            return self._progress.counts() if self._progress else {}

    def names(self, state):
        with self._lock:
            return self._progress.names(state)

    def cancel(self):
        """Start nothing more. What is being made is made to the end."""
        with self._lock:
            self._cancelled = True

    def _work(self):
        while (name := self._queue.get()) is not None:
            self._finish(name, self._make(name))

    def _make(self, name):
        target = self._graph[name]
        inputs = [self.outputs[need] for need in target.needs]
        key = self._cache.fingerprint(target, inputs)
        found = self._cache.find(key)
        if found is not None:
            self.outputs[name] = found
            return FRESH
        with self._lock:
            if self._cancelled:
                return SKIPPED
        self._tell(RUNNING, name)
        try:
            output = self._recipes.make(target, inputs)
        except Exception as error:
            self.errors[name] = error
            return FAILED
        self._cache.keep(key, output)
        self.outputs[name] = output
        return BUILT

    def _finish(self, name, state):
        with self._lock:
            self._progress.settle(name, state)
            self._tell(state, name)
            if state in (FAILED, SKIPPED):
                for each in self._progress.skip_dependants(name):
                    self._tell(SKIPPED, each)
            if not self._cancelled:
                for each in self._progress.release():
                    self._queue.put(each)
            if self._progress.over or (self._cancelled and not self._progress.running):
                self._over.set()
