"""Finished pieces of HTML that later steps must not touch."""

import re

MARK = re.compile("\x02(\\d+)\x03")
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
        return f"\x02{len(self._pieces) - 1}\x03"

    def restore(self, text):
        while MARK.search(text):
            text = MARK.sub(lambda match: self._pieces[int(match[1])], text)
        return text
