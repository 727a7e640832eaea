"""Finds plays."""

from words.play import Play


class Solver:
    def __init__(self, dictionary, scorer):
        self._dictionary = sorted(word.upper() for word in dictionary)
        self._scorer = scorer

    def plays(self, rack):
        """All plays of a rack, by word and place."""
        found = []
        for word in self._dictionary:
            placed = rack.spell(word)
            if placed is None:
                continue
            for start in range(len(self._scorer.row) - len(word) + 1):
                found.append(Play(placed, start))
        return found

    def best(self, rack, count=1):
        """The plays with most points, as (points, play); the shorter and earlier ones first among equals."""
        plays = [(self._scorer.score(play), play) for play in self.plays(rack)]
        plays.sort(key=lambda item: (-item[0], len(item[1].letters), item[1].word, item[1].start))
        return plays[:count]
