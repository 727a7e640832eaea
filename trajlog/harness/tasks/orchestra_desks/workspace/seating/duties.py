"""Who plays how often."""

from collections import Counter


def duties(seatings):
    """Number of concerts per player."""
    counts = Counter()
    for seating in seatings:
        counts.update({player for section in seating.sections() for player in section.players()})
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def absent(seating, roster):
    """Players of the roster without a seat, by section."""
    seated = {player for section in seating.sections() for player in section.players()}
    found = {name: [player for player in players if player not in seated] for name, players in roster.items()}
    return {name: players for name, players in found.items() if players}
