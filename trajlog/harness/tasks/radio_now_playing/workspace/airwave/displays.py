"""Things that show what is played."""


class Display:
    """One line of text, cut to its width."""

    def __init__(self, player, width=20):
        self.text = ""
        self.width = width
        self._player = player
        player.on_song(self.show)

    def show(self, song):
        self.text = song.line()[: self.width]

    def close(self):
        self._player.off_song(self.show)
        self.text = ""


class Log:
    """Remembers all songs, for the royalties."""

    def __init__(self, player):
        self.lines = []
        player.on_song(self.write)
        player.on_jingle(self.mark)

    def write(self, song):
        self.lines.append(f"{song.line()} ({song.seconds} s)")

    def mark(self, number):
        self.lines.append(f"-- jingle after {number}")
