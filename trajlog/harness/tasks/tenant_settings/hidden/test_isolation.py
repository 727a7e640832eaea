import copy

from settings.defaults import DEFAULTS, PLANS
from settings.registry import Registry


def test_tenants_of_one_plan_do_not_share_its_tables():
    plans = copy.deepcopy(PLANS)
    registry = Registry()
    first = registry.onboard("first", "team")
    second = registry.onboard("second", "team")
    first.get("support.contacts").append("boss@example.com")
    first.set("support.hours.to", 22)
    assert second.get("support.contacts") == ["help@example.com"]
    assert second.get("support.hours.to") == 17
    assert plans == PLANS


def test_overrides_given_by_the_caller_are_left_alone():
    defaults = copy.deepcopy(DEFAULTS)
    overrides = {"features": {"enabled": ["export"]}, "branding": {"colors": ["red"]}}
    registry = Registry()
    first = registry.onboard("first", overrides=overrides)
    second = registry.onboard("second", overrides=overrides)
    first.enable("beta-search")
    first.get("branding.colors").append("blue")
    assert not second.has("beta-search")
    assert second.get("branding.colors") == ["red"]
    assert overrides == {"features": {"enabled": ["export"]}, "branding": {"colors": ["red"]}}
    assert defaults == DEFAULTS


def test_reset_works_more_than_once():
    overrides = {"alerts": {"channels": ["sms"]}}
    tenant = Registry().onboard("one", "enterprise", overrides)
    for _ in range(2):
        tenant.disable("sso")
        tenant.get("alerts.channels").append("pager")
        tenant.reset()
        assert tenant.has("sso")
        assert tenant.get("alerts.channels") == ["sms"]


def test_exported_settings_are_a_copy():
    tenant = Registry().onboard("one", "team")
    exported = tenant.export()
    exported["features"]["enabled"].append("beta-search")
    exported["limits"]["seats"] = 1
    assert not tenant.has("beta-search")
    assert [tenant.get("limits.seats"), *tenant.get("features.enabled")] == [50, "export"]
