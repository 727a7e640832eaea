"""Requests from a connection, as its bytes come in."""

from collections import Counter

from httphead.message import parse_request


class RequestStream:
    def __init__(self):
        self._data = b""
        self.by_user = Counter()

    @property
    def num_pending(self):
        return len(self._data)

    def feed(self, data):
        """The requests that are complete now."""
        self._data += data
        requests = []
        while found := parse_request(self._data):
            request, self._data = found
            self.by_user[request.headers.text("X-User", "nobody")] += 1
            requests.append(request)
        return requests
