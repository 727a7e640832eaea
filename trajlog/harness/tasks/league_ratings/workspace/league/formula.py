"""The rating formula. Ratings and expectations are whole thousandths."""

POINT = 1000
START = 1500 * POINT
HOME_BONUS = 60 * POINT
SCALE = 400 * POINT

K_NEW = 40
K_USUAL = 24
NEW_GAMES = 3  # a team is new for so many games


def expectation(rating, other):
    """Thousandths of a win to be expected against the other."""
    return round(1000 / (1 + 10 ** ((other - rating) / SCALE)))


def k_factor(games_played):
    return K_NEW if games_played < NEW_GAMES else K_USUAL


def change(k, outcome, expected, margin):
    """Thousandths of a point that are won."""
    return half(k * (outcome - expected) * (3 if margin >= 3 else 2))


def half(number):
    """A half, rounded away from zero."""
    return (abs(number) + 1) // 2 * (1 if number >= 0 else -1)


def points(rating):
    """Whole points, half up."""
    return (rating + POINT // 2) // POINT
