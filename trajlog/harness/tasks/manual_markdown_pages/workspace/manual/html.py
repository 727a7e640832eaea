"""Blocks into HTML."""

import re
from html import escape, unescape

from manual import blocks as b


def slug_of(html, taken):
    """An anchor for a heading; a number is added if it is taken."""
    words = re.findall(r"\w+", unescape(re.sub(r"<[^>]*>", "", html)).lower())
    slug = base = "-".join(words) or "section"
    number = 2
    while slug in taken:
        slug = f"{base}-{number}"
        number += 1
    taken.add(slug)
    return slug


class HtmlWriter:
    """`headings` gets (level, html, anchor) of every heading, without marks."""

    def __init__(self, inline, stash):
        self._inline = inline
        self._stash = stash
        self._taken = set()
        self.headings = []

    def write(self, blocks):
        return "".join(self._block(block) for block in blocks)

    def _block(self, block):
        match block:
            case b.Heading(level, text):
                return self._heading(level, text)
            case b.Paragraph(text):
                return f"<p>{self._inline.render(text)}</p>\n"
            case b.CodeBlock(language, text):
                kind = f' class="{escape(language)}"' if language else ""
                return f"<pre{kind}>{self._stash.put(escape(text))}</pre>\n"
            case b.Quote(inner):
                return f"<blockquote>\n{self.write(inner)}</blockquote>\n"
            case b.ItemList(is_ordered, items):
                tag = "ol" if is_ordered else "ul"
                return f"<{tag}>\n{''.join(map(self._item, items))}</{tag}>\n"
            case b.Table(head, aligns, rows):
                lines = [self._row(head, aligns, "th"), *(self._row(row, aligns, "td") for row in rows)]
                return f"<table>\n{''.join(lines)}</table>\n"
            case b.Rule():
                return "<hr>\n"
        raise TypeError(f"no HTML for a {type(block).__name__}")

    def _heading(self, level, text):
        html = self._inline.render(text)
        plain = self._stash.restore(html)
        anchor = slug_of(plain, self._taken)
        self.headings.append((level, plain, anchor))
        return f'<h{level} id="{anchor}">{html}</h{level}>\n'

    def _item(self, inner):
        if len(inner) == 1 and isinstance(inner[0], b.Paragraph):
            return f"<li>{self._inline.render(inner[0].text)}</li>\n"
        return f"<li>\n{self.write(inner)}</li>\n"

    def _row(self, cells, aligns, tag):
        out = []
        for cell, align in zip(cells, aligns, strict=False):
            style = "" if align == "left" else f' align="{align}"'
            out.append(f"<{tag}{style}>{self._inline.render(cell)}</{tag}>")
        return f"<tr>{''.join(out)}</tr>\n"
