"""The library of photos: questions about one album."""

import heapq

from query import parse


class Library:
    def __init__(self, album):
        self._album = album

    def add(self, name, taken, size, tags=()):
        self._album.append(name, taken, size, tags)

    def search(self, text, limit=None):
        """Photos that match, in the order of the album."""
        query, found = parse(text), []
        for row in self._album.cursor():
            if limit is not None and len(found) >= limit:
                break
            if query.matches(row):
                found.append(row)
        return found

    def count(self, text):
        query = parse(text)
        return sum(query.matches(row) for row in self._album.cursor())

    def newest(self, number):
        """The photos taken last, the newest first."""
        return heapq.nlargest(number, self._rows(), key=lambda row: row.taken)

    def duplicates(self):
        """Groups of names of photos with the same time and size."""
        groups = {}
        for row in self._rows():
            groups.setdefault((row.taken, row.size), []).append(row)
        return [[row.name for row in rows] for rows in groups.values() if len(rows) > 1]

    def by_tag(self):
        """Photos of every tag, tags by name; who has no tag is under `None`."""
        tagged = {}
        for row in self._rows():
            for tag in row.tags or [None]:
                tagged.setdefault(tag, []).append(row)
        return dict(sorted(tagged.items(), key=lambda item: item[0] or ""))

    def summary(self):
        """Number of photos and bytes by year."""
        years = {}
        for row in self._album.cursor():
            number, size = years.get(row.taken[:4], (0, 0))
            years[row.taken[:4]] = (number + 1, size + row.size)
        return years

    def tail(self, number):
        """Names of the photos added last, in the order of the album."""
        cursor = self._album.cursor()
        cursor.skip(max(0, len(self._album) - number))
        return [row.name for row in cursor]

    def _rows(self):
        return list(self._album.cursor())
