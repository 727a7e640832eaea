"""Queries of the search line.

    beach taken:2023 -family size>2000

A plain word is a tag that the photo must have, with a minus one that it must not have.
"""

from dataclasses import dataclass, field


class QueryError(ValueError):
    """A query that means nothing."""


@dataclass
class Query:
    tags: set = field(default_factory=set)
    without: set = field(default_factory=set)
    taken: str = ""
    larger: int = -1
    smaller: float = float("inf")

    def matches(self, row):
        return (
            self.tags <= set(row.tags)
            and not self.without & set(row.tags)
            and row.taken.startswith(self.taken)
            and self.larger < row.size < self.smaller
        )


def parse(text):
    query = Query()
    for word in text.split():
        if word.startswith("taken:"):
            query.taken = word.removeprefix("taken:")
        elif word.startswith(("size>", "size<")):
            number = word[5:]
            if not number.isdigit():
                raise QueryError(f"size {number!r}")
            if word[4] == ">":
                query.larger = int(number)
            else:
                query.smaller = int(number)
        elif word.startswith("-"):
            query.without.add(word[1:])
        else:
            query.tags.add(word)
    both = query.tags & query.without
    if both:
        raise QueryError(f"{min(both)} is wanted and not wanted")
    return query


def is_everything(query):
    return query == Query()
