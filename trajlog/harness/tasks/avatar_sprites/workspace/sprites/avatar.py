"""Avatars wear clothes in layers."""

from sprites.sheet import Sprite


class Wardrobe:
    """Sprites of single pieces, always in memory."""

    def __init__(self, pieces):
        self._pieces = dict(pieces)
        self.num_composed = 0

    def compose(self, names):
        self.num_composed += 1
        made = None
        for name in names:
            piece = self._pieces[name]
            made = piece.over(made) if made else piece
        return Sprite(made.width, made.height, [made.frame(number) for number in range(made.num_frames)])


class Avatar:
    def __init__(self, name, wardrobe, cache, pieces=("body",)):
        self.name = name
        self._wardrobe = wardrobe
        self._cache = cache
        self._pieces = list(pieces)

    def sprite(self):
        sprite = self._cache.get(self.name)
        if sprite is None:
            sprite = self._wardrobe.compose(self._pieces)
            self._cache.put(self.name, sprite)
        return sprite

    def wear(self, *pieces):
        """Put pieces on top, and show them at once."""
        self._pieces += [piece for piece in pieces if piece not in self._pieces]
        self._cache.put(self.name, self._wardrobe.compose(self._pieces))

    def undress(self, piece):
        self._pieces.remove(piece)
        self._cache.drop(self.name)

    def gesture(self, frame):
        """Add a frame of a gesture to the sprite in memory."""
        self.sprite()
        return self._cache.extend(self.name, frame)
