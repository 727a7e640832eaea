"""Several pages with one index."""

import re
from collections import defaultdict
from html import unescape

from manual.page import Page

CODE = re.compile(r"<code>(.*?)</code>")


class Book:
    def __init__(self, sources):
        self.pages = {name: Page(source) for name, source in sources.items()}

    def contents(self):
        return [f"{name}: {page.title or name}" for name, page in self.pages.items()]

    def code_index(self):
        """Names of the pages by the short codes in them."""
        index = defaultdict(list)
        for name, page in self.pages.items():
            for code in dict.fromkeys(CODE.findall(page.html)):
                index[unescape(code)].append(name)
        return dict(sorted(index.items()))

    def broken_links(self):
        """(page, anchor) of links into pages that have no such heading."""
        broken = []
        for name, page in self.pages.items():
            for other, anchor in re.findall(r'href="(\w*)#([\w-]+)"', page.html):
                target = self.pages.get(other or name)
                if target is None or anchor not in {heading[2] for heading in target.headings}:
                    broken.append((name, f"{other}#{anchor}"))
        return broken
