"""The programme as a generator.

It yields segments. Commands are sent in; each is answered by an `Answer` or, for `Skip`, by the next segment.
"""

from collections import deque
from itertools import chain

from radio.commands import Answer, Ban, Request, Segment, Skip


class Desk:
    """State that the parts of the programme share."""

    def __init__(self, library, shuffler):
        self.library = library
        self.shuffler = shuffler
        self.requests = deque()
        self.due = deque()
        self.banned = set()

    def refill(self):
        songs = [song for song in self.library if song.title not in self.banned]
        self.due.extend(self.shuffler.round_of(songs))

    def next_song(self):
        """The song to play now, or None at the end of a round."""
        if self.requests:
            return self.requests.popleft()
        return self.due.popleft() if self.due else None

    def handle(self, command):
        if isinstance(command, Request):
            return self._request(command.title)
        if isinstance(command, Ban):
            return self._ban(command.title)
        raise TypeError(f"no such command: {command!r}")

    def _request(self, title):
        song = self.library.get(title)
        if song is None or title in self.banned:
            return 0
        self.requests.append(song)
        return len(self.requests)

    def _ban(self, title):
        self.banned.add(title)
        for song in self.due:
            if song.title == title:
                self.due.remove(song)
                return True
        return False


def on_air(desk, segment):
    """Yield one segment and answer commands while it is on."""
    command = yield segment
    while command is not None and not isinstance(command, Skip):
        command = yield Answer(desk.handle(command))


def jingle(desk, number):
    yield from on_air(desk, Segment("jingle", f"round {number}", 5))


def news(desk, headlines):
    for headline in headlines:
        yield from on_air(desk, Segment("news", headline, 20))


def songs(desk, headlines, news_every):
    """One round of the rotation, with news after every few songs."""
    since_news = 0
    while True:
        song = desk.next_song()
        if song is None:
            return
        yield from on_air(desk, Segment("song", song.title, song.seconds))
        since_news += 1
        if since_news == news_every:
            yield from news(desk, headlines)
            since_news = 0


def programme(desk, headlines=(), news_every=3, rounds=None):
    number = 0
    while rounds is None or number < rounds:
        number += 1
        desk.refill()
        for segment in chain(jingle(desk, number), songs(desk, headlines, news_every)):
            yield segment
