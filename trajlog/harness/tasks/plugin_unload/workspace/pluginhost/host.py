"""Loads plugins and gets rid of them again."""

import configparser

from pluginhost import builtin
from pluginhost.bus import Bus
from pluginhost.plugin import REGISTERED

STANDARD = [name for name in REGISTERED if REGISTERED[name].__module__ == builtin.__name__]


class PluginError(Exception):
    """A plugin that cannot be loaded or unloaded."""


class Host:
    def __init__(self, bus=None):
        self.bus = bus or Bus()
        self.plugins = {}

    def load(self, name, **options):
        if name in self.plugins:
            raise PluginError(f"{name} is loaded")
        if name not in REGISTERED:
            raise PluginError(f"there is no plugin {name}")
        missing = [need for need in REGISTERED[name].needs if need not in self.plugins]
        if missing:
            raise PluginError(f"{name} needs {', '.join(missing)}")
        plugin = REGISTERED[name](name, self.bus, options)
        try:
            with self.bus.acting(name):
                plugin.start()
        except Exception as error:
            self.bus.drop(name)
            raise PluginError(f"{name} did not start: {error}") from error
        self.plugins[name] = plugin
        return plugin

    def unload(self, name):
        users = [each.name for each in self.plugins.values() if name in each.needs]
        if users:
            raise PluginError(f"{name} is needed by {', '.join(users)}")
        plugin = self.plugins.pop(name)
        with self.bus.acting(name):
            plugin.stop()
        return self.bus.drop(name)

    def load_file(self, path):
        """Load what an ini file lists: a section for every plugin, its options within."""
        parser = configparser.ConfigParser()
        with open(path, encoding="utf-8") as file:
            parser.read_file(file)
        for section in parser.sections():
            options = dict(parser[section])
            if options.pop("enabled", "yes") == "yes":
                self.load(section, **options)
        return list(self.plugins)
