"""Questions about the reels on the shelves."""


class Questions:
    def __init__(self, shelves):
        self._shelves = shelves

    def find(self, code):
        """The shelf and the reel with this code, or None."""
        for shelf in self._shelves.values():
            for reel in shelf.scan():
                if reel.code == code:
                    return shelf, reel
        return None

    def has_copy(self, title):
        """Whether any shelf has a reel of the film."""
        for shelf in self._shelves.values():
            if any(reel.title == title for reel in shelf.scan()):
                return True
        return False

    def titles(self, since=0, until=9999):
        """Titles of films of these years, by name."""
        found = set()
        for shelf in self._shelves.values():
            found.update(reel.title for reel in shelf.scan() if since <= reel.year <= until)
        return sorted(found)

    def decades(self):
        """Number of reels by decade."""
        numbers = {}
        for shelf in self._shelves.values():
            for reel in shelf.scan():
                decade = reel.year // 10 * 10
                numbers[decade] = numbers.get(decade, 0) + 1
        return dict(sorted(numbers.items()))

    def playing_time(self, name):
        """Minutes of all reels of a shelf."""
        return round(sum(reel.minutes() for reel in self._shelves[name].scan()), 1)

    def first_free_code(self, name, prefix="R"):
        """The smallest code that no reel of the shelf has."""
        used = {reel.code for reel in self._shelves[name].scan()}
        number = 1
        while f"{prefix}{number}" in used:
            number += 1
        return f"{prefix}{number}"
