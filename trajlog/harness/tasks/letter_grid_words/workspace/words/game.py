"""A game for several players on one row."""

from words.letters import Rack, points


class Refused(ValueError):
    """The play is against the rules."""


class Game:
    def __init__(self, dictionary, scorer, racks):
        self._words = {word.upper() for word in dictionary}
        self._scorer = scorer
        self.racks = {player: Rack(letters) for player, letters in racks.items()}
        self.points = dict.fromkeys(racks, 0)
        self._played = set()
        self.log = []

    def play(self, player, play):
        if play.word not in self._words:
            raise Refused(f"{play.word} is not in the dictionary")
        if not self._scorer.row.fits(play):
            raise Refused(f"{play} does not fit")
        if play in self._played:
            raise Refused(f"{play} is repeated")
        self.racks[player].take(play.letters)
        gained = self._scorer.score(play)
        self._played.add(play)
        self.points[player] += gained
        self.log.append(f"{player} {play} {gained}")
        return gained

    def end(self):
        """Letters left on the racks are taken off; the standing."""
        for player, rack in self.racks.items():
            left = sum(map(points, rack.letters))
            self.points[player] -= left
        return sorted(self.points.items(), key=lambda item: (-item[1], item[0]))


class Bag:
    """Letters to draw from, in a given order."""

    def __init__(self, letters):
        self._letters = list(letters.upper())

    def __len__(self):
        return len(self._letters)

    def draw(self, count):
        drawn, self._letters = self._letters[:count], self._letters[count:]
        return drawn

    def exchange(self, rack, letters):
        """Put letters of a rack back to the end of the bag for others."""
        if len(letters) > len(self):
            raise Refused(f"only {len(self)} letters in the bag")
        kept = list(rack.letters)
        for letter in letters.upper():
            if letter not in kept:
                raise Refused(f"no {letter} on the rack")
            kept.remove(letter)
        rack.letters = sorted(kept + self.draw(len(letters)))
        self._letters += letters.upper()
