"""Template text into a tree of nodes.

`{$name}` a value, `{include NAME}`, `{extends NAME}`, `{block NAME}...{end}`, `{for x in items}...{end}`.
"""

import re

from templates.source import TemplateError

TAG = re.compile(r"\{(\$?[^{}]+)\}")
FOR = re.compile(r"for (\w+) in (\w+)")


class Tree:
    def __init__(self, name):
        self.name = name
        self.nodes = []
        self.parent = None
        self.uses = []


def parse(name, text):
    tree = Tree(name)
    open_nodes = [tree.nodes]
    position = 0
    for match in TAG.finditer(text):
        if match.start() > position:
            open_nodes[-1].append(("text", text[position:match.start()]))
        position = match.end()
        _tag(tree, open_nodes, match.group(1).strip())
    if position < len(text):
        open_nodes[-1].append(("text", text[position:]))
    if len(open_nodes) > 1:
        raise TemplateError(f"{name}: {{end}} is missing")
    return tree


def _tag(tree, open_nodes, tag):
    word, _, rest = tag.partition(" ")
    if word.startswith("$"):
        open_nodes[-1].append(("value", word[1:]))
    elif word == "include":
        tree.uses.append(rest)
        open_nodes[-1].append(("include", rest))
    elif word == "extends":
        tree.uses.append(rest)
        tree.parent = rest
    elif word == "block":
        body = []
        open_nodes[-1].append(("block", rest, body))
        open_nodes.append(body)
    elif FOR.fullmatch(tag):
        body = []
        open_nodes[-1].append(("for", *FOR.fullmatch(tag).groups(), body))
        open_nodes.append(body)
    elif word == "end" and len(open_nodes) > 1:
        open_nodes.pop()
    else:
        raise TemplateError(f"{tree.name}: unexpected {{{tag}}}")
