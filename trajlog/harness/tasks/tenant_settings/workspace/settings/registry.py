"""Onboarding tenants and finding them again."""

from settings.defaults import DEFAULTS, PLANS
from settings.tenant import Tenant


class UnknownPlan(KeyError):
    """A plan that nobody sells."""


class Registry:
    def __init__(self):
        self._tenants = {}

    def __len__(self):
        return len(self._tenants)

    def onboard(self, name, plan="free", overrides=None):
        """Create a tenant; `overrides` is laid over the plan, which is laid over the defaults."""
        if name in self._tenants:
            raise ValueError(f"tenant {name!r} exists already")
        if plan not in PLANS:
            raise UnknownPlan(plan)
        tenant = Tenant(name, [DEFAULTS, PLANS[plan], overrides or {}])
        self._tenants[name] = tenant
        return tenant

    def find(self, name):
        return self._tenants[name]

    def with_feature(self, feature):
        return sorted(name for name, tenant in self._tenants.items() if tenant.has(feature))

    def seats(self):
        return sum(tenant.get("limits.seats") for tenant in self._tenants.values())
