"""The text console of the studio: one command a line.

    play [n]    skip    request TITLE    ban TITLE    volume [+n|-n]    now    line    airtime
"""


class ConsoleError(ValueError):
    """A line that is no command."""


class Console:
    def __init__(self, station):
        self._station = station

    def run(self, text):
        """The replies to all lines; empty lines and comments are skipped."""
        replies = []
        for number, line in enumerate(text.splitlines(), 1):
            line = line.partition("#")[0].strip()
            if line:
                replies.append(self.reply(line, number))
        return replies

    def reply(self, line, number=1):
        word, _, rest = line.partition(" ")
        action = getattr(self, f"_do_{word}", None)
        if action is None:
            raise ConsoleError(f"line {number}: unknown command {word}")
        try:
            return action(rest.strip())
        except ValueError:
            raise ConsoleError(f"line {number}: {word} {rest}") from None

    def _do_play(self, rest):
        return ", ".join(self._station.play(int(rest or 1))) or "end"

    def _do_skip(self, rest):
        return f"now {self._station.skip()}"

    def _do_request(self, rest):
        place = self._station.request(rest)
        return f"{rest} is number {place}" if place else f"no {rest}"

    def _do_ban(self, rest):
        return f"{rest} removed" if self._station.ban(rest) else f"{rest} was not due"

    def _do_volume(self, rest):
        return f"volume {self._station.volume(int(rest or 0))}"

    def _do_now(self, rest):
        return self._station.now

    def _do_line(self, rest):
        return ", ".join(self._station.upcoming()) or "nothing in line"

    def _do_airtime(self, rest):
        counts = {}
        for title in self._station.played:
            counts[title] = counts.get(title, 0) + 1
        return ", ".join(f"{title} x{count}" for title, count in sorted(counts.items())) or "nothing played"
