"""Finished pieces of HTML that later steps must not touch."""

MARK = "\x02"
CONTROL = dict.fromkeys(range(9))


def without_marks(text):
    """Text in which no mark can stand."""
    return text.translate(CONTROL)


class Stash:
    """One for a page. A mark stands for every piece until the page is done; pieces may hold marks of earlier ones."""

    def __init__(self):
        self._pieces = []

    def put(self, html):
        self._pieces.append(html)
        return f"{MARK}{len(self._pieces) - 1}"

    def restore(self, text):
        for number in reversed(range(len(self._pieces))):
            text = text.replace(f"{MARK}{number}", self._pieces[number])
        return text
