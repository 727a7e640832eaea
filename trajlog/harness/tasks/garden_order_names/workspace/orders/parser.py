"""Orders: `12 thyme to bed 3 and a dozen of sage; 4 mint,`"""

from orders.items import Item, OrderError, collected
from orders.tokens import tokens


class Parser:
    def __init__(self, text):
        self._tokens = tokens(text)
        self._index = 0

    @property
    def _now(self):
        return self._tokens[self._index]

    def _take(self, kind):
        if self._now.kind != kind:
            found = self._now.text or "the end"
            raise OrderError(f"{kind} expected, not {found!r}", self._now.column)
        self._index += 1
        return self._tokens[self._index - 1]

    def _optional(self, kind):
        if self._now.kind == kind:
            return self._take(kind)
        return None

    def order(self):
        items = [self._item()]
        while self._separator():
            if self._now.kind == "end":
                break
            items.append(self._item())
        self._take("end")
        return items

    def _separator(self):
        return self._optional("mark") or self._optional("and")

    def _item(self):
        count = self._count()
        self._optional("of")
        names = [self._take("name").text]
        while self._now.kind == "name":
            names.append(self._take("name").text)
        bed = None
        if self._optional("to"):
            self._take("bed")
            bed = int(self._take("number").text)
        return Item(count, " ".join(names), bed)

    def _count(self):
        if self._optional("a"):
            self._take("dozen")
            return 12
        count = int(self._take("number").text)
        return count * 12 if self._optional("dozen") else count


def parse_order(text):
    return collected(Parser(text).order())
