"""Lines into blocks."""

import re
from dataclasses import dataclass, field

HEADING = re.compile(r"(#{1,4})\s+(.*?)\s*#*")
FENCE = re.compile(r"```\s*(\w*)")
ITEM = re.compile(r"(?P<mark>[-*]|\d+[.)])\s+(?P<text>.*)")
RULE = re.compile(r"(?:-\s*){3,}|(?:\*\s*){3,}")
ROW = re.compile(r"\|.*\|")
DIVIDER = re.compile(r"\|(?:\s*:?-+:?\s*\|)+")
DEFINITION = re.compile(r"\[([^\]]+)\]:\s+(\S+)")


@dataclass
class Heading:
    level: int
    text: str


@dataclass
class Paragraph:
    text: str


@dataclass
class CodeBlock:
    language: str
    text: str


@dataclass
class Rule:
    pass


@dataclass
class Quote:
    blocks: list


@dataclass
class ItemList:
    is_ordered: bool
    items: list = field(default_factory=list)


@dataclass
class Table:
    head: list
    aligns: list
    rows: list = field(default_factory=list)


class BlockParser:
    """`references` gets the `[name]: url` lines of the whole page."""

    def __init__(self, references):
        self._references = references

    def parse(self, lines):
        return list(self._blocks(list(lines)))

    def _blocks(self, lines):
        while lines:
            line = lines[0].strip()
            if not line:
                lines.pop(0)
            elif match := FENCE.fullmatch(line):
                yield self._code(match[1], lines)
            elif match := HEADING.fullmatch(line):
                lines.pop(0)
                yield Heading(len(match[1]), match[2])
            elif RULE.fullmatch(line):
                lines.pop(0)
                yield Rule()
            elif line.startswith(">"):
                yield self._quote(lines)
            elif ITEM.fullmatch(line):
                yield self._list(lines)
            elif ROW.fullmatch(line) and len(lines) > 1 and DIVIDER.fullmatch(lines[1].strip()):
                yield self._table(lines)
            elif match := DEFINITION.fullmatch(line):
                lines.pop(0)
                self._references[match[1].lower()] = match[2]
            else:
                yield self._paragraph(lines)

    def _code(self, language, lines):
        lines.pop(0)
        code = []
        while lines and lines[0].strip() != "```":
            code.append(lines.pop(0))
        if lines:
            lines.pop(0)
        return CodeBlock(language, "".join(line + "\n" for line in code))

    def _quote(self, lines):
        inner = []
        while lines and lines[0].lstrip().startswith(">"):
            inner.append(lines.pop(0).lstrip()[1:].removeprefix(" "))
        return Quote(self.parse(inner))

    def _list(self, lines):
        first = ITEM.fullmatch(lines[0].strip())
        result = ItemList(first["mark"][0].isdigit())
        while lines and (match := ITEM.fullmatch(lines[0].strip())):
            if match["mark"][0].isdigit() != result.is_ordered or RULE.fullmatch(lines[0].strip()):
                break
            lines.pop(0)
            inner = [match["text"]]
            while lines and lines[0].startswith("  "):
                inner.append(lines.pop(0)[2:])
            result.items.append(self.parse(inner))
        return result

    def _table(self, lines):
        table = Table(_cells(lines.pop(0)), [_align(cell) for cell in _cells(lines.pop(0))])
        while lines and ROW.fullmatch(lines[0].strip()):
            table.rows.append(_cells(lines.pop(0)))
        return table

    def _paragraph(self, lines):
        text = [lines.pop(0).strip()]
        while lines and lines[0].strip() and not _begins_block(lines[0].strip()):
            text.append(lines.pop(0).strip())
        return Paragraph("\n".join(text))


def _begins_block(line):
    return any(form.fullmatch(line) for form in (HEADING, FENCE, RULE, ITEM)) or line.startswith(">")


def _cells(line):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip()[1:-1])]


def _align(cell):
    return {(True, True): "center", (False, True): "right"}.get((cell[0] == ":", cell[-1] == ":"), "left")
