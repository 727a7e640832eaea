"""Looking words up."""

from lexicon.medium import UnknownWord
from lexicon.recent import Recent
from lexicon.stems import stem


class Lexicon:
    def __init__(self, medium, limit=100):
        self._medium = medium
        self.recent = Recent(limit)

    def meaning(self, word):
        """The meaning of a word in any form."""
        key = self._key(word)
        found = self.recent.get(key)
        if found is None:
            found = self._medium.read(key)
            self.recent.put(key, found)
        return found

    def correct(self, word, meaning):
        """A better meaning; it is kept on the medium as well."""
        key = self._key(word)
        self._medium.write(key, meaning)
        self.recent.put(key, meaning)

    def refresh(self, *words):
        """Read entries anew, for instance after the medium was changed by others."""
        for key in dict.fromkeys(map(self._key, words)):
            self.recent.put(key, self._medium.read(key))

    def forget(self, word):
        key = self._key(word)
        self._medium.remove(key)
        return self.recent.remove(key)

    def gloss(self, text):
        """word -> meaning for all words of a text that are known."""
        found = {}
        for word in text.split():
            try:
                found[word] = self.meaning(word)
            except UnknownWord:
                continue
        return found

    def _key(self, word):
        key = stem(word)
        if not key.isalpha():
            raise ValueError(f"not a word: {word!r}")
        return key
