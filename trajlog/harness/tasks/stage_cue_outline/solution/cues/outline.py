"""Indented text as a tree."""

from dataclasses import dataclass, field

TAB = 4
REMARK = "#"


@dataclass
class Node:
    """A line and the deeper lines below it."""

    number: int
    indent: int
    text: str
    children: list = field(default_factory=list)

    @property
    def words(self):
        return self.text.split()

    def walk(self):
        yield self
        for child in self.children:
            yield from child.walk()


def indent_of(line):
    """Columns before the text; a tab goes to the next multiple of four."""
    column = 0
    for char in line:
        if char == "\t":
            column += TAB - column % TAB
        elif char == " ":
            column += 1
        else:
            break
    return column


def without_remark(line):
    """The line up to a remark; a # within quotes is none."""
    quoted = False
    for place, char in enumerate(line):
        if char == '"':
            quoted = not quoted
        elif char == REMARK and not quoted:
            return line[:place].rstrip()
    return line.rstrip()


def parse_outline(text):
    """The top nodes of a text."""
    root = Node(0, -1, "")
    open_nodes = [root]
    for number, line in enumerate(text.split("\n"), 1):
        content = without_remark(line)
        if not content.strip():
            continue
        indent = indent_of(content)
        while open_nodes[-1].indent >= indent:
            open_nodes.pop()
        node = Node(number, indent, content.strip())
        open_nodes[-1].children.append(node)
        open_nodes.append(node)
    return root.children
