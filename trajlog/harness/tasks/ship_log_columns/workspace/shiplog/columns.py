"""Fields at fixed columns."""


class LayoutError(ValueError):
    """Columns that make no sense."""


def expand(text, column=0, width=8):
    """Tabs as blanks up to the next stop, for a text that begins at a column."""
    result = []
    for character in text:
        if character == "\t":
            blanks = width - column % width
            result.append(" " * blanks)
            column += blanks
        else:
            result.append(character)
            column += 1
    return "".join(result)


class Layout:
    """Names and the columns (from 1) at which their fields begin; each ends where the next one begins."""

    def __init__(self, fields):
        self.fields = dict(fields)
        begins = list(self.fields.values())
        if begins != sorted(set(begins)) or begins[0] < 1:
            raise LayoutError(f"columns {begins}")

    @classmethod
    def parse(cls, head):
        """A layout from a ruler: `time@1 position@9`."""
        fields = {}
        for word in head.split():
            name, _, column = word.partition("@")
            fields[name] = int(column)
        return cls(fields)

    def cut(self, line):
        """Name to field, of a line without tabs."""
        begins = [begin - 1 for begin in self.fields.values()]
        ends = [*begins[1:], None]
        return {name: line[begin:end].strip() for name, begin, end in zip(self.fields, begins, ends, strict=True)}


STANDARD = Layout.parse("time@5 position@17 course@33 speed@41 remark@49")
