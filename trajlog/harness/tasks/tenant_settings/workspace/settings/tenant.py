"""One tenant and its effective settings."""

from settings.layers import assign, flatten, lookup, merge_all


class Tenant:
    """`layers` are the tables the tenant is onboarded with, the weakest first."""

    def __init__(self, name, layers):
        self.name = name
        self._layers = tuple(layers)
        self._settings = merge_all(*self._layers)

    def __repr__(self):
        return f"Tenant({self.name!r})"

    def get(self, path):
        return lookup(self._settings, path)

    def set(self, path, value):
        assign(self._settings, path, value)

    def enable(self, feature):
        enabled = self.get("features.enabled")
        if feature not in enabled:
            enabled.append(feature)

    def disable(self, feature):
        enabled = self.get("features.enabled")
        if feature in enabled:
            enabled.remove(feature)

    def has(self, feature):
        return feature in self.get("features.enabled")

    def reset(self):
        """Back to the settings of the day the tenant was onboarded."""
        self._settings = merge_all(*self._layers)

    def export(self):
        """A table of its own for the caller, to store or to edit."""
        return merge_all(self._settings)

    def describe(self):
        return [f"{path} = {value}" for path, value in flatten(self._settings)]
