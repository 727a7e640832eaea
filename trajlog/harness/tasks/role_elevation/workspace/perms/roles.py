"""Roles with inherited permissions. A permission is `area.verb`; `area.*` grants a whole area."""


class RoleError(Exception):
    pass


class Roles:
    def __init__(self):
        self._own = {}
        self._parents = {}

    def define(self, name, *permissions, inherits=()):
        for parent in inherits:
            if parent not in self._own:
                raise RoleError(f"unknown role {parent}")
        self._own[name] = frozenset(permissions)
        self._parents[name] = tuple(inherits)

    def permissions(self, name):
        if name not in self._own:
            raise RoleError(f"unknown role {name}")
        found = set(self._own[name])
        for parent in self._parents[name]:
            found |= self.permissions(parent)
        return found

    def allow(self, names, permission):
        area = permission.partition(".")[0]
        for name in names:
            granted = self.permissions(name)
            if permission in granted or f"{area}.*" in granted:
                return True
        return False


def standard_roles():
    roles = Roles()
    roles.define("viewer", "report.read")
    roles.define("editor", "report.write", inherits=["viewer"])
    roles.define("admin", "report.*", "user.*")
    return roles
