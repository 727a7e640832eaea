"""Rules: coroutine functions of the snapshot before and after an update."""


class Refused(ValueError):
    """An update that breaks a rule."""


def only_teams(*teams):
    async def rule(before, after):
        unknown = sorted(set(after.points) - set(teams))
        if unknown:
            raise Refused(f"unknown team {unknown[0]}")

    return rule


def most_points(limit):
    async def rule(before, after):
        for team, points in after.points.items():
            if points > limit:
                raise Refused(f"{team} would have {points} of {limit}")

    return rule


def forward_periods(last):
    async def rule(before, after):
        if not before.period <= after.period <= last:
            raise Refused(f"period {after.period} after {before.period}")

    return rule


def asked(service):
    """The answer of a service: an awaitable text, empty if all is well."""

    async def rule(before, after):
        answer = await service(before, after)
        if answer:
            raise Refused(answer)

    return rule
