"""Where catalogues lie."""


class Store:
    """Catalogue texts by language; counts what is read."""

    def __init__(self, texts):
        self.texts = dict(texts)
        self.opened = []
        self.lines_read = 0

    def languages(self):
        return sorted(self.texts)

    def lines(self, language):
        self.opened.append(language)
        for line in self.texts[language].splitlines():
            self.lines_read += 1
            yield line
