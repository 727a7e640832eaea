"""The draw of one round."""


class NoPairing(Exception):
    pass


def seat_out(waiting):
    """Takes the last player who had no bye yet out of the list."""
    for player in reversed(waiting):
        if not player.had_bye:
            waiting.remove(player)
            return player
    raise NoPairing("everybody had a bye")


def pair_up(waiting):
    if not waiting:
        return []
    first, rest = waiting[0], waiting[1:]
    for position, other in enumerate(rest):
        if first.has_met(other):
            continue
        try:
            return [(first, other), *pair_up(rest[:position] + rest[position + 1:])]
        except NoPairing:
            continue
    raise NoPairing(f"nobody left for {first.name}")


def draw(register):
    """Pairs by points, then by start number; returns the pairs and who has a bye."""
    waiting = sorted(register.players(), key=lambda player: -player.points)
    bye = seat_out(waiting) if len(waiting) % 2 else None
    return pair_up(waiting), bye
