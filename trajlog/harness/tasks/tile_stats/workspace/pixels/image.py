"""Grey images, and the text format PGM (P2)."""


class ImageError(ValueError):
    """Text that is no image."""


class Image:
    def __init__(self, rows, maximum=255):
        self.rows = [list(row) for row in rows]
        self.maximum = maximum
        widths = {len(row) for row in self.rows}
        if len(widths) != 1 or widths == {0}:
            raise ImageError("rows of different length, or none")
        if any(not 0 <= value <= maximum for row in self.rows for value in row):
            raise ImageError(f"values must lie between 0 and {maximum}")

    @property
    def width(self):
        return len(self.rows[0])

    @property
    def height(self):
        return len(self.rows)

    def values(self):
        for row in self.rows:
            yield from row

    def map(self, function):
        return Image(([function(value) for value in row] for row in self.rows), self.maximum)


def parse_pgm(text):
    words = [word for line in text.splitlines() for word in line.partition("#")[0].split()]
    if words[:1] != ["P2"] or len(words) < 4:
        raise ImageError("no header")
    width, height, maximum = map(int, words[1:4])
    values = list(map(int, words[4:]))
    if len(values) != width * height:
        raise ImageError(f"{len(values)} values for {width} x {height}")
    return Image((values[row * width:(row + 1) * width] for row in range(height)), maximum)


def write_pgm(image):
    lines = ["P2", f"{image.width} {image.height}", str(image.maximum)]
    return "\n".join(lines + [" ".join(map(str, row)) for row in image.rows])
