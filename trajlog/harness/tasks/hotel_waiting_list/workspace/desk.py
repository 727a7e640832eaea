"""The front desk."""

from stays import Request
from waiting import WaitingList


class Desk:
    def __init__(self, house):
        self._house = house
        self.waiting = WaitingList()
        self.confirmed = []

    def ask(self, guest, stay, hour, card="none"):
        """The request; it is confirmed at once or waits."""
        request = Request.make(guest, card, stay, hour)
        if self._house.has_room(stay):
            self._confirm(request)
        else:
            self.waiting.add(request)
        return request

    def cancel(self, request):
        """The guest does not want to wait any more."""
        self.waiting.drop(request)
        request.notes.append("cancelled")

    def leave(self, request):
        """A confirmed guest goes or stays away; whoever waits gets the room."""
        for index, confirmed in enumerate(self.confirmed):
            if confirmed is request:
                del self.confirmed[index]
                break
        self._house.release(request.stay)
        for waiting in self.waiting.candidates(request.stay):
            if self._house.has_room(waiting.stay):
                self.waiting.drop(waiting)
                self._confirm(waiting)

    def names(self):
        return [request.guest for request in self.confirmed]

    def _confirm(self, request):
        self._house.book(request.stay)
        request.notes.append("confirmed")
        self.confirmed.append(request)
