"""Plugins that come with the editor."""

from pluginhost.plugin import Plugin, register


@register("status")
class Status(Plugin):
    """Shows one line for whatever happens to documents."""

    def start(self):
        self.lines = []
        self.bus.subscribe("document.*", self.on_document)

    def on_document(self, topic, **data):
        self.lines.append(f"{topic.partition('.')[2]} {data.get('path', '?')}")


@register("autosave")
class Autosave(Plugin):
    """Saves a document when it was edited `every` times. Watches documents from their opening on."""

    def start(self):
        self.edits = {}
        self.every = int(self.options.get("every", 2))
        self.bus.subscribe("document.opened", self.on_opened)

    def on_opened(self, topic, path):
        self.bus.publish("status.message", text=f"autosave on for {path}")
        self.edits[path] = 0
        self.bus.subscribe("document.edited", lambda topic, **data: self.on_edited(path, **data))

    def on_edited(self, watched, path):
        if path == watched:
            self.edits[path] += 1
            if self.edits[path] % self.every == 0:
                self.bus.publish("document.saved", path=path)


@register("wordcount")
class WordCount(Plugin):
    needs = ("status",)

    def start(self):
        self.seen = []
        self.bus.subscribe("status.message", self.on_message)

    def on_message(self, topic, text):
        self.seen.append(len(text.split()))
