"""Checks in front of service methods."""

from dataclasses import dataclass
from functools import wraps

from perms.audit import Trail
from perms.context import active_roles, current_user
from perms.roles import standard_roles


class Refused(Exception):
    pass


@dataclass(frozen=True)
class User:
    name: str
    roles: tuple


class Guard:
    def __init__(self, roles=None, trail=None):
        self.roles = roles or standard_roles()
        self.trail = trail or Trail()

    def allowed(self, permission):
        names = active_roles()
        answer = self.roles.allow(names, permission)
        self.trail.record(current_user().name, permission, names, answer)
        return answer

    def demand(self, permission):
        if not self.allowed(permission):
            raise Refused(f"{current_user().name} may not {permission}")


def needs(permission):
    def wrap(method):
        @wraps(method)
        async def checked(self, *arguments, **options):
            self.guard.demand(permission)
            return await method(self, *arguments, **options)

        return checked

    return wrap
