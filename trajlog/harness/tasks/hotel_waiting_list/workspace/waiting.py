"""The waiting list."""

from bisect import insort

from stays import overlap


class NotWaiting(LookupError):
    """The request is not on the list."""


class WaitingList:
    def __init__(self):
        self._requests = []

    def __len__(self):
        return len(self._requests)

    def add(self, request):
        insort(self._requests, request)

    def drop(self, request):
        """Take this very request off the list."""
        if request not in self._requests:
            raise NotWaiting(request.summary())
        self._requests.remove(request)

    def candidates(self, stay):
        """Requests that the end of a stay may help, in the order of the list."""
        return [request for request in self._requests if overlap(request.stay, stay)]

    def summaries(self):
        return [request.summary() for request in self._requests]

    def of(self, guest):
        return [request for request in self._requests if request.guest == guest]
