"""Text with emphasis, code, links and escaped characters."""

import re
from html import escape

ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|<>~-])")
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.DOTALL)
ADDRESS = re.compile(r"<(https?://[^\s<>]+)>")
LINK = re.compile(r'(!?)\[([^\[\]]*)\]\(([^\s()]+)(?:\s+"([^"]*)")?\)')
REFERENCE = re.compile(r"\[([^\[\]]+)\](?:\[([^\[\]]*)\])?")
STYLES = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*", re.DOTALL), "strong"),
    (re.compile(r"\*(?=\S)(.+?)(?<=\S)\*", re.DOTALL), "em"),
    (re.compile(r"(?<!\w)_(?=\S)(.+?)(?<=\S)_(?!\w)", re.DOTALL), "em"),
    (re.compile(r"~~(?=\S)(.+?)(?<=\S)~~", re.DOTALL), "del"),
)


class Inline:
    def __init__(self, stash, references):
        self._stash = stash
        self._references = references

    def render(self, text):
        """HTML with marks of the stash."""
        text = CODE.sub(self._code, text)
        text = ESCAPED.sub(lambda match: self._stash.put(escape(match[1])), text)
        text = ADDRESS.sub(self._address, text)
        text = escape(text, quote=False)
        text = LINK.sub(self._link, text)
        text = REFERENCE.sub(self._reference, text)
        for pattern, tag in STYLES:
            text = pattern.sub(rf"<{tag}>\1</{tag}>", text)
        return text.replace("  \n", "<br>\n")

    def _code(self, match):
        code = match[2]
        if len(code) > 2 and code[0] == code[-1] == " ":
            code = code[1:-1]
        return self._stash.put(f"<code>{escape(code)}</code>")

    def _address(self, match):
        url = escape(match[1])
        return self._stash.put(f'<a href="{url}">{url}</a>')

    def _link(self, match):
        is_image, text, url, title = match.groups()
        title = f' title="{title}"' if title else ""
        if is_image:
            return self._stash.put(f'<img src="{url}" alt="{text}"{title}>')
        return self._stash.put(f'<a href="{url}"{title}>') + text + "</a>"

    def _reference(self, match):
        url = self._references.get((match[2] or match[1]).lower())
        if url is None:
            return match[0]
        return self._stash.put(f'<a href="{escape(url)}">') + match[1] + "</a>"
