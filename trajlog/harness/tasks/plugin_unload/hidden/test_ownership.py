from pluginhost.host import Host
from pluginhost.plugin import Plugin, register


@register("relay")
class Relay(Plugin):
    """Passes messages on and only then listens for answers."""

    def start(self):
        self.answers = []
        self.bus.publish("relay.starting")
        self.bus.subscribe("ask", self.on_ask)

    def on_ask(self, topic, text):
        self.bus.publish("question", text=text)
        self.bus.subscribe("answer", self.on_answer)

    def on_answer(self, topic, text):
        self.answers.append(text)

    def stop(self):
        self.bus.publish("relay.stopped")


@register("oracle")
class Oracle(Plugin):
    def start(self):
        self.bus.subscribe("question", self.on_question)

    def on_question(self, topic, text):
        if text == "fail":
            raise ValueError("no idea")
        self.bus.publish("status.message", text=text)
        self.bus.subscribe("follow-up", lambda topic, **data: None)


def note(seen):
    return lambda topic, **data: seen.append((topic, *data.values()))


def test_subscriptions_after_publishing_at_the_start():
    host, seen = Host(), []
    host.bus.subscribe("relay.*", note(seen))
    relay = host.load("relay")
    owners = host.bus.owners()
    dropped = host.unload("relay")
    assert (owners, dropped, seen) == ({"host": 1, "relay": 1}, 1, [("relay.starting",), ("relay.stopped",)])
    host.bus.publish("ask", text="hello")
    assert relay.answers == []


def test_nested_publishing_of_several_plugins():
    host = Host()
    for name in ("relay", "oracle"):
        host.load(name)
    host.bus.subscribe("status.message", lambda topic, **data: None)
    host.bus.publish("ask", text="when?")
    host.bus.publish("ask", text="where?")
    assert host.bus.owners() == {"relay": 3, "oracle": 3, "host": 1}
    assert [host.unload("oracle"), host.unload("relay"), host.bus.owners()] == [3, 3, {"host": 1}]


def test_failing_handler_between():
    host, seen = Host(), []
    for name in ("oracle", "relay"):
        host.load(name)
    host.bus.publish("ask", text="fail")
    host.bus.subscribe("answer", note(seen))
    assert host.bus.owners() == {"oracle": 1, "relay": 2, "host": 1}
    host.unload("relay")
    host.unload("oracle")
    host.bus.publish("answer", text="42")
    assert (seen, host.bus.errors) == ([("answer", "42")], [("oracle", "question", "no idea")])


def test_host_subscription_made_by_a_host_handler():
    host, seen = Host(), []
    host.load("status")

    def on_opened(topic, path):
        host.load("autosave", every=1)
        host.bus.subscribe("document.saved", note(seen))

    host.bus.subscribe("app.ready", on_opened)
    host.bus.publish("app.ready", path="x")
    host.bus.publish("document.opened", path="b.txt")
    host.bus.publish("document.edited", path="b.txt")
    dropped = host.unload("autosave")
    host.bus.publish("document.saved", path="c.txt")
    assert (dropped, seen) == (2, [("document.saved", "b.txt"), ("document.saved", "c.txt")])
