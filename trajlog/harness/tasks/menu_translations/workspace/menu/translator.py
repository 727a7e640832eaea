"""Translates dishes with fallback languages."""

from menu.catalogue import Catalogue

FALLBACKS = {"de-at": "de", "fr-ca": "fr", "pt-br": "pt"}


class Translator:
    def __init__(self, store, fallbacks=None):
        self._store = store
        self._fallbacks = FALLBACKS if fallbacks is None else fallbacks
        self._catalogues = {}

    def catalogue(self, language):
        if language not in self._catalogues:
            self._catalogues[language] = Catalogue(language, self._store)
        return self._catalogues[language]

    def chain(self, language):
        while language:
            if language in self._store.languages():
                yield language
            language = self._fallbacks.get(language)

    def dish(self, original, language):
        """The name of a dish; marked with a star if there is no translation."""
        for name in self.chain(language):
            found = self.catalogue(name).find(original)
            if found is not None:
                return found
        return original + "*"

    def coverage(self, originals, language):
        """How many of the dishes have a translation, in percent."""
        known = {}
        for name in self.chain(language):
            known = self.catalogue(name).all() | known
        return round(100 * sum(original in known for original in originals) / len(originals))
