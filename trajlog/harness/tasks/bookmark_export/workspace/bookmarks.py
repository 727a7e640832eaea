"""Bookmarks in the page format that browsers exchange."""

import re
from dataclasses import dataclass

from escape import escape, unescape

LINE = re.compile(r'<DT><(?P<tag>A|H3)(?: HREF="(?P<href>[^"]*)")?>(?P<text>[^<]*)</(?:A|H3)>')


class ImportFailed(ValueError):
    """The page is not a bookmark file."""


@dataclass(frozen=True)
class Bookmark:
    title: str
    url: str
    folder: tuple = ()


def export_page(bookmarks):
    lines = ["<!DOCTYPE NETSCAPE-Bookmark-file-1>", "<DL>"]
    current = ()
    for mark in sorted(bookmarks, key=lambda mark: mark.folder):
        common = 0
        while common < min(len(current), len(mark.folder)) and current[common] == mark.folder[common]:
            common += 1
        lines.extend("</DL>" for _ in current[common:])
        for name in mark.folder[common:]:
            lines += [f"<DT><H3>{escape(name)}</H3>", "<DL>"]
        current = mark.folder
        lines.append(f'<DT><A HREF="{escape(mark.url)}">{escape(mark.title)}</A>')
    lines.extend("</DL>" for _ in current)
    return "\n".join([*lines, "</DL>"]) + "\n"


def import_page(page):
    first, *lines = page.split("\n")
    if "NETSCAPE-Bookmark-file" not in first:
        raise ImportFailed(f"not a bookmark file: {first[:40]!r}")
    found, path, pending = [], [], None
    for line in lines:
        match = LINE.match(line)
        if line == "<DL>":
            path.append(pending)
        elif line == "</DL>":
            path.pop()
        elif match and match["tag"] == "H3":
            pending = unescape(match["text"])
        elif match:
            found.append(Bookmark(unescape(match["text"]), unescape(match["href"]), tuple(path[1:])))
    return found
