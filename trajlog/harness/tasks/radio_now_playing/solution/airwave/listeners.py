"""Who wants to be told."""

import inspect
import weakref


def keep(call):
    """A function that answers itself, like the call of a reference."""
    return lambda: call


class Listeners:
    """Callables that are called in the order of their registration.

    Objects are not kept alive by their methods that are registered here.
    """

    def __init__(self):
        self._references = []

    def __len__(self):
        return sum(reference() is not None for reference in self._references)

    def add(self, call):
        if any(reference() == call for reference in self._references):
            return
        self._references.append(weakref.WeakMethod(call) if inspect.ismethod(call) else keep(call))

    def discard(self, call):
        self._references = [reference for reference in self._references if reference() not in (None, call)]

    def tell(self, *args):
        """The number of listeners that were told."""
        told = 0
        for reference in list(self._references):
            call = reference()
            if call is not None:
                call(*args)
                told += 1
        return told
