"""Letters with placeholders `{{ ... }}`; `{{! ... }}` is a remark."""

import re

from letters.errors import TemplateError
from letters.expression import Expression
from letters.quotes import QUOTED

OPEN = "{{"
TAG = re.compile(rf"\{{\{{(?P<body>(?:{QUOTED}|(?!\}}\}}).)*)\}}\}}", re.DOTALL)
REMARK = re.compile(r"\{\{!.*?\}\}", re.DOTALL)


class Template:
    def __init__(self, text):
        self._parts = list(self._parse(text))

    @staticmethod
    def _parse(text):
        position = 0
        while True:
            start = text.find(OPEN, position)
            if start < 0:
                yield text[position:]
                return
            yield text[position:start]
            line = text.count("\n", 0, start) + 1
            match = REMARK.match(text, start) or TAG.match(text, start)
            if match is None:
                raise TemplateError(line, "placeholder is not closed")
            if match.re is TAG:
                yield Expression(match["body"].strip(), line)
            position = match.end()

    def render(self, data):
        out = []
        for part in self._parts:
            if isinstance(part, Expression):
                value = part.value(data)
                part = "" if value is None else str(value)
            out.append(part)
        return "".join(out)


def render(text, **data):
    return Template(text).render(data)
