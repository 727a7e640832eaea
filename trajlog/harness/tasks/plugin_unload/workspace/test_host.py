import pytest
from pluginhost.host import STANDARD, Host, PluginError


@pytest.fixture
def host():
    return Host()


def test_plugins_of_a_file(host):
    assert host.load_file("editor.ini") == ["status", "autosave"]
    host.bus.publish("document.opened", path="a.txt")
    for _ in range(3):
        host.bus.publish("document.edited", path="a.txt")
    lines = host.plugins["status"].lines
    assert (lines[0], lines[-2:]) == ("opened a.txt", ["edited a.txt", "saved a.txt"])


def test_needed_plugins(host):
    with pytest.raises(PluginError, match="wordcount needs status"):
        host.load("wordcount")
    for name in ("status", "wordcount"):
        host.load(name)
    with pytest.raises(PluginError, match="status is needed by wordcount"):
        host.unload("status")
    assert STANDARD == ["status", "autosave", "wordcount"]


def test_unloaded_autosave_does_not_save(host):
    status = host.load("status")
    host.load("wordcount")
    host.load("autosave", every=1)
    host.bus.publish("document.opened", path="a.txt")
    host.unload("autosave")
    host.bus.publish("document.edited", path="a.txt")
    assert status.lines == ["opened a.txt", "edited a.txt"]
    assert host.plugins["wordcount"].seen == [4]


def test_unloading_ends_subscriptions(host):
    for name in ("status", "autosave"):
        host.load(name)
    assert (host.unload("status"), host.bus.owners()) == (1, {"autosave": 1})
