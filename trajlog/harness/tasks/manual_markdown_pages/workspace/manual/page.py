"""Pages: source, HTML and table of contents."""

from manual.blocks import BlockParser
from manual.html import HtmlWriter
from manual.inline import Inline
from manual.stash import Stash, without_marks


class Page:
    def __init__(self, source):
        references = {}
        stash = Stash()
        blocks = BlockParser(references).parse(without_marks(source).expandtabs(4).splitlines())
        writer = HtmlWriter(Inline(stash, references), stash)
        self.html = stash.restore(writer.write(blocks))
        self.headings = writer.headings

    @property
    def title(self):
        """The first heading of the highest level, else empty."""
        best = min(self.headings, key=lambda heading: heading[0], default=(0, "", ""))
        return best[1]

    def contents(self, max_level=3):
        lines = []
        for level, html, anchor in self.headings:
            if level <= max_level:
                lines.append(f'{"  " * (level - 1)}<a href="#{anchor}">{html}</a>')
        return "\n".join(lines)


def render(source):
    return Page(source).html
