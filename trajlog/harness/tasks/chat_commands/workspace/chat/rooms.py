"""Kinds of rooms."""

from chat.commands import CommandError, CommandHost, command
from chat.scrollback import Scrollback


class Room(CommandHost):
    def __init__(self, name):
        self.name = name
        self.topic = ""
        self.members = []
        self.history = Scrollback()

    @property
    def lines(self):
        return self.history.texts()

    def join(self, member):
        if member not in self.members:
            self.members.append(member)
            self.history.append(f"* {member} joins")

    def part(self, member):
        if member in self.members:
            self.members.remove(member)
            self.history.append(f"* {member} leaves")

    def post(self, author, text):
        if author not in self.members:
            raise CommandError(f"{author} is not in {self.name}")
        if text.startswith("/"):
            return self.run(author, text)
        self.history.append(f"<{author}> {text}")
        return None

    @command("help")
    def help(self, author):
        return " ".join(f"/{name}" for name in sorted(self.commands))

    @command("me", "TEXT...")
    def me(self, author, *words):
        self.history.append(f"* {author} {' '.join(words)}")


class Lobby(Room):
    @command("topic")
    def show_topic(self, author):
        return self.topic or "no topic"


class StaffRoom(Room):
    def __init__(self, name, owner):
        super().__init__(name)
        self.owner = owner
        self.join(owner)

    @command("topic", "TEXT")
    def set_topic(self, author, text):
        self.topic = text
        self.history.append(f"* {author} sets the topic: {text}")

    @command("kick", "NAME")
    def kick(self, author, member):
        if author != self.owner:
            raise CommandError("only the owner may do that")
        self.members.remove(member)
        self.history.append(f"* {member} was removed")
