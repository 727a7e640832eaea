"""The state of a game and what players do with it."""

from dataclasses import asdict, dataclass, field


class GameError(RuntimeError):
    """Something that the rules do not allow."""


@dataclass
class Hero:
    name: str
    level: int = 1
    stats: dict = field(default_factory=dict)
    pack: list = field(default_factory=list)

    @property
    def is_down(self):
        return self.stats["health"] <= 0

    def hit(self, damage, kind="blade"):
        """Take damage; half of every point of resistance is kept off."""
        resistance = self.stats["resist"].get(kind, 0)
        taken = max(damage - resistance // 2, 0)
        self.stats["health"] -= taken
        return taken

    def train(self, stat):
        if self.is_down:
            raise GameError(f"{self.name} is down")
        self.stats[stat] += 1

    def harden(self, kind, points):
        """Get used to a kind of damage."""
        resist = self.stats["resist"]
        resist[kind] = resist.get(kind, 0) + points


@dataclass
class World:
    day: int = 1
    gold: int = 0
    heroes: list = field(default_factory=list)
    flags: dict = field(default_factory=dict)

    def hero(self, name):
        for hero in self.heroes:
            if hero.name == name:
                return hero
        raise GameError(f"no hero {name!r}")

    def rest(self):
        """A night's sleep."""
        self.day += 1
        for hero in self.heroes:
            if not hero.is_down:
                hero.stats["health"] = min(hero.stats["health"] + 3, 20 + hero.level)

    def as_fields(self):
        return asdict(self)

    @classmethod
    def from_fields(cls, fields):
        heroes = [Hero(**hero) for hero in fields["heroes"]]
        return cls(fields["day"], fields["gold"], heroes, fields["flags"])
