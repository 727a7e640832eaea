"""Turns presses into commands."""

from keys.chords import scan_sequence
from keys.config import GLOBAL


class Keyboard:
    """Looks into the keymap of the current mode first, then into the global one."""

    def __init__(self, keymaps, mode=GLOBAL):
        self._keymaps = keymaps
        self.mode = mode
        self._pressed = ()

    @property
    def pending(self):
        return " ".join(map(str, self._pressed))

    def press(self, chord):
        """The command that is complete with this chord, or None. A chord that leads nowhere starts anew."""
        self._pressed += (chord,)
        leads_on = False
        for name in dict.fromkeys((self.mode, GLOBAL)):
            found = self._keymaps[name].find(self._pressed) if name in self._keymaps else None
            if isinstance(found, dict):
                leads_on = True
            elif found is not None:
                self._pressed = ()
                return found
        if not leads_on:
            again = len(self._pressed) > 1
            self._pressed = ()
            return self.press(chord) if again else None
        return None

    def type(self, text):
        """Press the chords of a text; the commands as text."""
        commands = map(self.press, scan_sequence(text)[0])
        return [str(command) for command in commands if command is not None]
