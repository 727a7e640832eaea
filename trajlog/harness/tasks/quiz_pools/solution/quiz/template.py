"""Templates: what a sheet is made of.

    # Title of a section
    pick 2 maths
    pick 1 maths level 2
    repeat 2
      text Take a break
      pick 1 music
    end
"""

from quiz.pools import Draw


class TemplateError(ValueError):
    """The template cannot be read."""


class Heading:
    def __init__(self, text):
        self.text = text

    def items(self, draw):
        yield "heading", self.text


class Text(Heading):
    def items(self, draw):
        yield "text", self.text


class Pick:
    def __init__(self, count, pool, level=None):
        self.count = count
        self.pool = pool
        self.level = level

    def items(self, draw):
        for _ in range(self.count):
            yield "question", draw.next(self.pool, self.level)


class Repeat:
    def __init__(self, count, parts):
        self.count = count
        self.parts = parts

    def items(self, draw):
        for _ in range(self.count):
            for part in self.parts:
                yield from part.items(draw)


class Template:
    def __init__(self, pools, parts):
        self._pools = pools
        self._parts = parts

    def items(self):
        """Items of one sheet as (kind, content)."""
        draw = Draw(self._pools)
        for part in self._parts:
            yield from part.items(draw)

    def num_questions(self):
        return _count(self._parts)


def _count(parts):
    total = 0
    for part in parts:
        if isinstance(part, Pick):
            total += part.count
        elif isinstance(part, Repeat):
            total += part.count * _count(part.parts)
    return total


def read_template(text, *pools):
    by_name = {pool.name: pool for pool in pools}
    levels = [[]]
    counts = []
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        match words:
            case []:
                continue
            case ["#", *_]:
                levels[-1].append(Heading(line.strip()[1:].strip()))
            case ["text", *rest]:
                levels[-1].append(Text(" ".join(rest)))
            case ["pick", count, pool]:
                levels[-1].append(Pick(int(count), pool))
            case ["pick", count, pool, "level", level]:
                levels[-1].append(Pick(int(count), pool, int(level)))
            case ["repeat", count]:
                counts.append(int(count))
                levels.append([])
                continue
            case ["end"] if counts:
                parts = levels.pop()
                levels[-1].append(Repeat(counts.pop(), parts))
            case _:
                raise TemplateError(f"line {number}: {line.strip()!r}")
        if words[0] == "pick" and words[2] not in by_name:
            raise TemplateError(f"line {number}: no pool {words[2]}")
    if counts:
        raise TemplateError("repeat without end")
    return Template(by_name, levels[0])
