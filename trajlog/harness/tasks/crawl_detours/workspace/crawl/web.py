"""What a fetch can bring."""

from dataclasses import dataclass, field


class TemporaryError(Exception):
    """May work next time."""


class Missing(Exception):
    """There is no such page."""


@dataclass
class Page:
    links: list = field(default_factory=list)
    title: str = ""


@dataclass
class Moved:
    target: str


class MemoryWeb:
    """Pages by address. An address in `flaky` fails as many times as it says."""

    def __init__(self, pages, flaky=None):
        self._pages = pages
        self._flaky = dict(flaky or {})

    def fetch(self, url):
        if self._flaky.get(url, 0):
            self._flaky[url] -= 1
            raise TemporaryError(url)
        if url not in self._pages:
            raise Missing(url)
        return self._pages[url]
