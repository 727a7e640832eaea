"""Things that can be carried and used."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Item:
    name: str
    effect: str
    power: int

    def use(self, user, others):
        """Applies the effect; returns what there is to say."""
        return EFFECTS[self.effect](self, user, others)


def potion(item, user, others):
    before = user.health
    user.health += item.power
    return f"You feel better by {user.health - before}."


def song(item, user, others):
    user.courage += item.power
    return "You hum a brave song."


def scare(item, user, others):
    for other in others:
        other.courage -= item.power
    return "A terrible noise!"


EFFECTS = {"potion": potion, "song": song, "scare": scare}


class Bag:
    """Items by name; each is used up."""

    def __init__(self, room=3):
        self._room = room
        self._items = []

    def put(self, item):
        if len(self._items) >= self._room:
            return False
        self._items.append(item)
        return True

    def take(self, name):
        for item in self._items:
            if item.name == name:
                self._items.remove(item)
                return item
        return None

    def names(self):
        return sorted(item.name for item in self._items)
