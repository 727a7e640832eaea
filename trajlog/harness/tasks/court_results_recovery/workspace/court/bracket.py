"""Rounds of a knock-out tournament."""


def rounds(matches):
    """round -> its matches, in the order of the text"""
    found = {}
    for match in matches:
        found.setdefault(match.round, []).append(match)
    return found


def still_in(matches):
    """Players who have not lost, in the order in which they came up."""
    names = dict.fromkeys(name for match in matches for name in (match.winner, match.loser))
    lost = {match.loser for match in matches}
    return [name for name in names if name not in lost]


def way_of(matches, name):
    """How a player came through the rounds."""
    lines = []
    for match in matches:
        if match.winner == name:
            lines.append(f"{match.round} beat {match.loser} {' '.join(map(str, match.sets)) or match.ending}")
        elif match.loser == name:
            lines.append(f"{match.round} lost to {match.winner}")
    return lines


def upsets(matches):
    """Matches in which a seed lost against nobody or a lower seed."""
    found = []
    for match in matches:
        seeds = dict(match.seeds)
        if match.loser in seeds and seeds.get(match.winner, 1000) > seeds[match.loser]:
            found.append(f"{match.winner} over [{seeds[match.loser]}]{match.loser}")
    return found
