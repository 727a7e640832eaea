from sprites.avatar import Avatar
from sprites.cache import SpriteCache
from sprites.sheet import Sprite, SpriteError

__all__ = ["Avatar", "Sprite", "SpriteCache", "SpriteError"]
