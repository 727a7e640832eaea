"""Catalogues as text."""

from catalogue.entries import Catalogue, Entry
from catalogue.quoting import CatalogueError, unquote
from catalogue.wrapping import quoted_lines


def dumps(catalogue):
    blocks = ["\n".join([f"# language: {catalogue.language}"])]
    for entry in catalogue:
        lines = [f"# {comment}" for comment in entry.comments]
        if entry.is_fuzzy:
            lines.append("#, fuzzy")
        lines += quoted_lines("msgid", entry.source)
        lines += quoted_lines("msgstr", entry.target)
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks) + "\n"


def loads(text):
    head, *blocks = text.strip("\n").split("\n\n")
    if not head.startswith("# language: "):
        raise CatalogueError("the language is missing")
    return Catalogue(head.removeprefix("# language: "), map(_entry, blocks))


def _entry(block):
    texts = {}
    comments, is_fuzzy, current = [], False, None
    for line in block.split("\n"):
        if line == "#, fuzzy":
            is_fuzzy = True
        elif line.startswith("# "):
            comments.append(line[2:])
        elif line.startswith('"') and current:
            texts[current] += unquote(line)
        else:
            current, _, rest = line.partition(" ")
            if current not in ("msgid", "msgstr"):
                raise CatalogueError(f"unknown keyword {current!r}")
            texts[current] = unquote(rest)
    return Entry(texts["msgid"], texts.get("msgstr", ""), comments, is_fuzzy)
