"""The crawler: some workers, one frontier."""

import threading

from crawl.frontier import Frontier
from crawl.urls import host_of, normalise
from crawl.web import Missing, Moved, TemporaryError


class Report:
    def __init__(self):
        self._lock = threading.Lock()
        self.titles = {}
        self.skipped = {}
        self.failed = {}

    def note(self, table, url, value):
        with self._lock:
            getattr(self, table)[url] = value

    def visited(self):
        return sorted(self.titles)

    def by_host(self):
        counts = {}
        for url in self.titles:
            counts[host_of(url)] = counts.get(host_of(url), 0) + 1
        return counts


class Crawler:
    def __init__(self, fetch, rules, workers=2, max_tries=3):
        self._fetch = fetch
        self._rules = rules
        self._workers = workers
        self._max_tries = max_tries
        self._frontier = Frontier()
        self.report = Report()

    def run(self, seeds, timeout=2):
        for seed in seeds:
            self._follow(seed, "", 0)
        threads = [threading.Thread(target=self._work, daemon=True) for _ in range(self._workers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout)
        return self.report

    def _work(self):
        while (entry := self._frontier.take()) is not None:
            self._visit(entry)

    def _visit(self, entry):
        try:
            answer = self._fetch(entry.url)
        except TemporaryError:
            self._try_again(entry)
            return
        except Missing:
            self.report.note("failed", entry.url, "missing")
            self._frontier.done()
            return
        if isinstance(answer, Moved):
            self._follow(answer.target, entry.url, entry.depth)
            self._frontier.done()
            return
        self.report.note("titles", entry.url, answer.title)
        for link in answer.links:
            self._follow(link, entry.url, entry.depth + 1)
        self._frontier.done()

    def _try_again(self, entry):
        if entry.tries < self._max_tries:
            self._frontier.retry(entry)
        else:
            self.report.note("failed", entry.url, f"gave up after {entry.tries} tries")
            self._frontier.done()

    def _follow(self, href, base, depth):
        url = normalise(href, base)
        if url is None:
            return
        reason = self._rules.reason(url, depth)
        if reason:
            self.report.note("skipped", url, reason)
        else:
            self._frontier.add(url, depth)
