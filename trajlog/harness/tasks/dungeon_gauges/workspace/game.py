"""The command loop."""

from copy import deepcopy

from items import Bag, Item
from world import load

SHORT = {"l": "look", "a": "attack", "g": "go", "i": "bag"}
START_ITEMS = (Item("flask", "potion", 6), Item("horn", "scare", 1))


class Game:
    def __init__(self, world=None):
        self.world = world or load()
        self.bag = Bag()
        self._saved = None
        for item in START_ITEMS:
            self.bag.put(item)

    def do(self, line):
        verb, _, rest = line.strip().partition(" ")
        verb = SHORT.get(verb, verb)
        action = getattr(self, f"do_{verb}", None)
        if action is None:
            return f"I do not know how to {verb}."
        return action(rest)

    def do_go(self, direction):
        target = self.world.here.exits.get(direction)
        if target is None:
            return "There is no way."
        self.world.here = self.world.rooms[target]
        return self.do_look("")

    def do_look(self, _):
        here = self.world.here
        seen = ", ".join(one.status() for one in here.creatures) or "nobody"
        return f"{here.name}: {seen}"

    def do_attack(self, kind):
        hero, target = self.world.hero, self.world.here.first(kind)
        if target is None:
            return f"There is no {kind}."
        said = [f"You hit the {kind} for {hero.hit(target)}."]
        if target.alive and not target.flees:
            said.append(f"It hits back for {target.hit(hero)}.")
        return " ".join(said + self.world.here.tidy())

    def do_save(self, _):
        self._saved = deepcopy((self.world, self.bag))
        return "Saved."

    def do_restore(self, _):
        if self._saved is None:
            return "Nothing was saved."
        self.world, self.bag = deepcopy(self._saved)
        return self.do_look("")

    def do_bag(self, _):
        return "You carry: " + (", ".join(self.bag.names()) or "nothing")

    def do_use(self, name):
        item = self.bag.take(name)
        if item is None:
            return f"You have no {name}."
        said = item.use(self.world.hero, self.world.here.creatures)
        return " ".join([said, *self.world.here.tidy()])

    def do_heal(self, amount):
        self.world.hero.health += int(amount)
        return self.world.hero.status()
