"""Guards look at a pump before its turn."""


def dry_run(lowest):
    """Takes a pump out of service when its water is too low."""

    def guard(aquarium, pump):
        if aquarium.level < lowest:
            aquarium.out_of_service(pump.name)

    return guard


def slow_down(from_level, every):
    """Another interval below a level."""

    def guard(aquarium, pump):
        if aquarium.level < from_level and pump.timer.every != every:
            aquarium.note(f"{pump.name} every {every}")
            pump.timer.restart(every)

    return guard


def rest_after(turns, others=()):
    """Ends a pump after so many turns and starts others."""

    def guard(aquarium, pump):
        if pump.timer.turns > turns:
            aquarium.out_of_service(pump.name)
            for name in others:
                if not aquarium.pumps[name].timer.running:
                    aquarium.in_service(name)

    return guard
