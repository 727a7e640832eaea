"""The command loop."""

from world import load


class Game:
    def __init__(self, world=None):
        self.world = world or load()

    def do(self, line):
        verb, _, rest = line.strip().partition(" ")
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

    def do_heal(self, amount):
        self.world.hero.health += int(amount)
        return self.world.hero.status()
