"""Slash commands: declared with a decorator, collected per class."""

import shlex


class CommandError(Exception):
    """Shown to the person who typed the command."""


def command(name, usage=""):
    def mark(function):
        function.command_name = name
        function.command_usage = usage
        return function

    return mark


class CommandHost:
    """Base of everything that takes commands."""

    commands = {}
    disabled = ()

    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        cls.commands = dict(cls.commands)
        for value in vars(cls).values():
            name = getattr(value, "command_name", None)
            if name:
                cls.commands[name] = value
        for name in vars(cls).get("disabled", ()):
            cls.commands.pop(name, None)

    def run(self, author, line):
        name, *arguments = shlex.split(line.removeprefix("/"))
        function = self.commands.get(name)
        if function is None:
            raise CommandError(f"unknown command /{name}")
        try:
            return function(self, author, *arguments)
        except TypeError:
            raise CommandError(f"usage: /{name} {function.command_usage}".rstrip()) from None
