"""A rectangular board of stones; every stone knows its owner."""

EMPTY = "."


class IllegalMove(ValueError):
    pass


class Board:
    def __init__(self, width, height):
        self.rows = [[EMPTY] * width for _ in range(height)]

    @property
    def size(self):
        return len(self.rows[0]), len(self.rows)

    def inside(self, x, y):
        width, height = self.size
        return 0 <= x < width and 0 <= y < height

    def at(self, x, y):
        if not self.inside(x, y):
            raise IllegalMove(f"({x}, {y}) is off the board")
        return self.rows[y][x]

    def put(self, x, y, owner):
        if self.at(x, y) != EMPTY:
            raise IllegalMove(f"({x}, {y}) is taken")
        self.rows[y][x] = owner

    def lift(self, x, y):
        owner, self.rows[y][x] = self.rows[y][x], EMPTY
        return owner

    def neighbours(self, x, y):
        around = [(x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y)]
        return [spot for spot in around if self.inside(*spot)]

    def copy(self):
        made = Board(*self.size)
        made.rows = [row[:] for row in self.rows]
        return made

    def text(self):
        return "/".join("".join(row) for row in self.rows)
