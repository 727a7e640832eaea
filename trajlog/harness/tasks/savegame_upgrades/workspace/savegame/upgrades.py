"""Fields of old saves into fields of the current version, one version after the other."""

from savegame.rules import STARTING_GOLD, STARTING_PACK, STARTING_STATS

CURRENT = 4
_STEPS = {}


class UpgradeError(ValueError):
    """A version that cannot be brought up to date."""


def upgrade_from(version):
    def register(function):
        _STEPS[version] = function
        return function

    return register


@upgrade_from(1)
def heroes_get_packs(fields):
    """Heroes were pairs of name and level."""
    heroes = [{"name": name, "level": level, "pack": list(STARTING_PACK)} for name, level in fields["heroes"]]
    return {**fields, "heroes": heroes}


@upgrade_from(2)
def heroes_get_stats(fields):
    for hero in fields["heroes"]:
        hero.setdefault("stats", STARTING_STATS)
    return fields


@upgrade_from(3)
def flags_get_values(fields):
    """Flags were a list of those that are set; gold came with the shops."""
    fields.setdefault("gold", STARTING_GOLD)
    return {**fields, "flags": dict.fromkeys(fields["flags"], True)}


def upgrade(fields, version):
    if not 1 <= version <= CURRENT:
        raise UpgradeError(f"version {version} cannot be loaded")
    for step in range(version, CURRENT):
        fields = _STEPS[step](fields)
    return fields
