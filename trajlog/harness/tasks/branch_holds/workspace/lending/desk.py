"""The lending desk."""

from lending.shelf import LendingError, Shelf


class Desk:
    def __init__(self, titles):
        self.shelf = Shelf(titles)
        self.loans = []

    def borrow(self, reader, title):
        if not self.shelf.free(title):
            raise LendingError(f"{title} is out")
        self.shelf.move(title, -1)
        self.loans.append((reader, title))

    def hold(self, reader, title):
        line = self.shelf.line(title)
        if reader in line:
            raise LendingError(f"{reader} already waits for {title}")
        line.append(reader)
        return len(line)

    def give_back(self, reader, title):
        """Take a copy back; returns who gets it next, or None."""
        if (reader, title) not in self.loans:
            raise LendingError(f"{reader} does not have {title}")
        self.loans.remove((reader, title))
        line = self.shelf.line(title)
        if line:
            following = line.pop(0)
            self.loans.append((following, title))
            return following
        self.shelf.move(title, 1)
        return None

    def queue_length(self, title):
        return len(self.shelf.line(title))
