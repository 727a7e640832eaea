"""Grey pictures: plain PGM text, scaled by averaging."""


class PictureError(ValueError):
    pass


class Picture:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    @property
    def size(self):
        return len(self.rows[0]), len(self.rows)

    @classmethod
    def parse(cls, text):
        tokens = text.split()
        if tokens[:1] != ["P2"] or len(tokens) < 4:
            raise PictureError("not a plain PGM picture")
        width, height, top = map(int, tokens[1:4])
        values = [int(token) * 255 // top for token in tokens[4:]]
        if len(values) != width * height:
            raise PictureError(f"{len(values)} values for {width} x {height}")
        return cls(values[start:start + width] for start in range(0, len(values), width))

    def fit(self, edge):
        """The picture so small that its longer side has `edge` pixels."""
        width, height = self.size
        longer = max(width, height)
        if longer <= edge:
            return self
        new_width, new_height = max(1, width * edge // longer), max(1, height * edge // longer)
        xs = [width * i // new_width for i in range(new_width + 1)]
        ys = [height * i // new_height for i in range(new_height + 1)]
        return Picture(
            [self._mean(range(left, right), range(top, bottom)) for left, right in zip(xs, xs[1:], strict=False)]
            for top, bottom in zip(ys, ys[1:], strict=False)
        )

    def _mean(self, xs, ys):
        values = [self.rows[y][x] for y in ys for x in xs]
        return sum(values) // len(values)

    def text(self):
        return "/".join(" ".join(map(str, row)) for row in self.rows)
