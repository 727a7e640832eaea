"""Signals. A signal keeps neither handlers nor the objects they belong to alive."""

import inspect
import weakref


class Signal:
    def __init__(self, name):
        self.name = name
        self._handlers = []
        self._blocked = 0

    def connect(self, handler):
        """Have `handler`, a function or a method, called from now on."""
        if inspect.ismethod(handler):
            self._handlers.append(lambda: handler)
        else:
            self._handlers.append(weakref.ref(handler))

    def disconnect(self, handler):
        self._handlers = [each for each in self._handlers if each() not in (None, handler)]

    def emit(self, *args):
        """Call the handlers in the order of connecting. Returns how many were called."""
        if self._blocked:
            return 0
        alive = [handler for handler in (each() for each in self._handlers) if handler is not None]
        for handler in alive:
            handler(*args)
        self._handlers = [each for each in self._handlers if each() is not None]
        return len(alive)

    def block(self):
        """For `with`: nothing is emitted meanwhile."""
        return _Block(self)

    def __len__(self):
        return sum(each() is not None for each in self._handlers)


class _Block:
    def __init__(self, signal):
        self._signal = signal

    def __enter__(self):
        self._signal._blocked += 1

    def __exit__(self, *exc_info):
        self._signal._blocked -= 1
