"""Which sequences are bound to which commands."""

from keys.chords import KeyProblem


def shown(sequence):
    return " ".join(map(str, sequence))


class Keymap:
    """A tree of chords; the leaves are commands."""

    def __init__(self, name):
        self.name = name
        self._root = {}

    def bind(self, sequence, command):
        node = self._root
        for depth, chord in enumerate(sequence[:-1], 1):
            node = node.setdefault(chord, {})
            if not isinstance(node, dict):
                raise KeyProblem(f"{shown(sequence[:depth])} is bound already")
        if isinstance(node.get(sequence[-1]), dict):
            raise KeyProblem(f"{shown(sequence)} begins other sequences")
        node[sequence[-1]] = command

    def find(self, sequence):
        """The command, a dict if the sequence begins others, or None."""
        node = self._root
        for chord in sequence:
            if not isinstance(node, dict) or chord not in node:
                return None
            node = node[chord]
        return node

    def bindings(self, node=None, before=()):
        """(sequence, command) in the order of their text"""
        for chord, item in sorted((self._root if node is None else node).items(), key=lambda entry: str(entry[0])):
            if isinstance(item, dict):
                yield from self.bindings(item, (*before, chord))
            else:
                yield (*before, chord), item

    def lines(self):
        return [f"{shown(sequence)}: {command}" for sequence, command in self.bindings()]
