import pytest
from settings.layers import UnknownSetting
from settings.registry import Registry


@pytest.fixture
def registry():
    return Registry()


def test_plan_and_overrides_win_over_defaults(registry):
    acme = registry.onboard("acme", "team", {"locale": {"language": "de"}})
    assert acme.get("limits.seats") == 50
    assert acme.get("limits.storage_gb") == 10
    assert acme.get("locale.language") == "de"
    assert acme.get("locale.timezone") == "UTC"


def test_unknown_setting_is_refused(registry):
    acme = registry.onboard("acme")
    with pytest.raises(UnknownSetting):
        acme.set("limits.users", 3)


def test_feature_of_one_tenant_stays_with_it(registry):
    before = registry.onboard("before")
    acme = registry.onboard("acme")
    acme.enable("beta-search")
    after = registry.onboard("after")
    assert acme.has("beta-search")
    assert not before.has("beta-search")
    assert not after.has("beta-search")


def test_reset_goes_back_to_the_first_settings(registry):
    acme = registry.onboard("acme")
    acme.enable("dark-mode")
    acme.set("limits.seats", 7)
    acme.reset()
    assert not acme.has("dark-mode")
    assert acme.get("limits.seats") == 5
