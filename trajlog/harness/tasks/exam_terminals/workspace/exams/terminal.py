"""A terminal in the exam hall: keys come in, text goes out."""


class Terminal:
    """`handler(key)` gets each key; whoever replaces it should pass keys on to the one before."""

    def __init__(self, name):
        self.name = name
        self.screen = []
        self.clipboard = ""
        self.line = ""
        self.handler = self.default

    def press(self, *keys):
        for key in keys:
            self.handler(key)

    def type(self, text):
        self.press(*text)

    def show(self, text):
        self.screen.append(text)

    def default(self, key):
        """What a terminal does by itself."""
        if key == "enter":
            self.show(self.line)
            self.line = ""
        elif key == "back":
            self.line = self.line[:-1]
        elif key == "copy":
            self.clipboard = self.line
        elif key == "paste":
            self.line += self.clipboard
        elif len(key) == 1:
            self.line += key
