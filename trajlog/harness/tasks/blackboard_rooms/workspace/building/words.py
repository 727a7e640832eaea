"""Words of the rule language."""

import re

WORD = re.compile(r"\s*(?:(?P<number>-?\d+(?:\.\d+)?)|(?P<name>[a-z_]+)|(?P<sign>[<>()=]))")


class RuleError(ValueError):
    """The rule cannot be understood."""


class Words:
    """The words of a text, with one word of look-ahead."""

    def __init__(self, text):
        self._text = text
        self._words = []
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = WORD.match(text, at)
            if not found:
                raise RuleError(f"cannot read {text[at:].strip()!r}")
            self._words.append(float(found["number"]) if found["number"] else found["name"] or found["sign"])
            at = found.end()
        self._words.reverse()

    @property
    def next(self):
        return self._words[-1] if self._words else None

    def take(self):
        if not self._words:
            raise RuleError(f"{self._text!r} ends too early")
        return self._words.pop()

    def accept(self, *words):
        """Take the words if they are next."""
        if self._words[-len(words) :][::-1] != list(words):
            return False
        del self._words[-len(words) :]
        return True

    def expect(self, *words):
        if not self.accept(*words):
            raise RuleError(f"{' '.join(words)!r} expected in {self._text!r}")

    def number(self):
        value = self.take()
        if not isinstance(value, float):
            raise RuleError(f"number expected instead of {value!r}")
        return value

    def rest(self):
        words, self._words = self._words[::-1], []
        return [f"{word:g}" if isinstance(word, float) else word for word in words]
