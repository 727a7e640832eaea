"""What hangs on the wall."""


def rank_key(player):
    return -player.points, -player.rating, player.name


def table(register):
    players = register.players()
    players.sort(key=rank_key)
    return [f"{place}. {player.name} {player.points:g}" for place, player in enumerate(players, 1)]


def leaders(register, count=3):
    players = register.players()
    players.sort(key=rank_key)
    del players[count:]
    return [player.name for player in players]


def names_in_order(register):
    """Names by start number."""
    return [player.name for player in register.players()]


def entry_list(register):
    return [f"#{register.start_number(player)} {player.name}" for player in register.players()]
