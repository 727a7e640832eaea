"""Sprites: frames of pixels, one byte a pixel."""


class SpriteError(ValueError):
    """The frames do not fit together."""


class Sprite:
    def __init__(self, width, height, frames=()):
        self.width = width
        self.height = height
        self._frames = []
        for frame in frames:
            self.add(frame)

    @classmethod
    def blank(cls, width, height, frames=1, colour=0):
        return cls(width, height, [bytes([colour]) * (width * height)] * frames)

    def add(self, frame):
        if len(frame) != self.width * self.height:
            raise SpriteError(f"frame of {len(frame)} pixels in a {self.width}x{self.height} sprite")
        self._frames.append(bytes(frame))

    @property
    def size(self):
        return sum(map(len, self._frames))

    @property
    def num_frames(self):
        return len(self._frames)

    def frame(self, number):
        return self._frames[number % len(self._frames)]

    def over(self, other):
        """This sprite laid over another; colour 0 is transparent."""
        if (self.width, self.height) != (other.width, other.height):
            raise SpriteError("sprites differ in size")
        count = max(self.num_frames, other.num_frames)
        frames = [
            bytes(upper or lower for upper, lower in zip(self.frame(number), other.frame(number)))
            for number in range(count)
        ]
        return Sprite(self.width, self.height, frames)
