"""The board of the live site: fetches pages and remembers what changed."""

from board.join import NamedResults
from board.records import parse_renames, parse_results
from board.standings import Standings


class LiveBoard:
    def __init__(self, result_lines, rename_lines, page_size=3):
        self._source = NamedResults(parse_results(result_lines), parse_renames(rename_lines))
        self._page_size = page_size
        self.standings = Standings()
        self.ticker = []

    def refresh(self):
        """Fetch a page; returns how many results were new."""
        before = {row.player: row.name for row in self.standings.rows()}
        page = self._source.page(self._page_size)
        for named in page:
            self.standings.count(named)
            old = before.get(named.player)
            if old is not None and old != named.name:
                self.ticker.append(f"{old} is now {named.name}")
            before[named.player] = named.name
        return len(page)

    def refresh_all(self):
        while self.refresh():
            pass
        return self.standings.lines()
