import pytest
from sprites import Avatar, Sprite, SpriteCache, SpriteError
from sprites.avatar import Wardrobe


def test_least_recently_used_goes():
    dropped = []
    cache = SpriteCache(60, dropped.append)
    for name in "abc":
        cache.put(name, Sprite.blank(5, 4))
    cache.get("a")
    cache.put("d", Sprite.blank(5, 2, 3))
    assert (cache.names(), cache.used, dropped) == (["a", "d"], 50, ["b", "c"])


def test_sprite_stored_again():
    cache = SpriteCache(100)
    for _ in range(4):
        cache.put("ada", Sprite.blank(5, 4))
        cache.put("ben", Sprite.blank(5, 5))
    assert (cache.names(), cache.used) == (["ada", "ben"], 45)


def test_extended_sprite():
    cache = SpriteCache(100)
    cache.put("ada", Sprite.blank(3, 3))
    assert cache.extend("ada", bytes(9))
    assert not cache.extend("ben", bytes(9))
    cache.drop("ada")
    assert (cache.used, cache.names()) == (0, [])


def test_layers():
    lower = Sprite(2, 1, [b"\x01\x02"])
    made = Sprite(2, 1, [b"\x00\x07", b"\x08\x00"]).over(lower)
    assert [made.frame(number) for number in range(3)] == [b"\x01\x07", b"\x08\x02", b"\x01\x07"]
    with pytest.raises(SpriteError, match="frame of 3 pixels in a 2x1 sprite"):
        lower.add(b"abc")


def test_avatar_changes_clothes():
    wardrobe = Wardrobe({"body": Sprite.blank(2, 2, 1, 1), "hat": Sprite.blank(2, 2, 2, 9)})
    avatar = Avatar("ada", wardrobe, SpriteCache(64))
    assert avatar.sprite().frame(0) == b"\x01\x01\x01\x01"
    avatar.wear("hat")
    assert (avatar.sprite().frame(1), wardrobe.num_composed) == (b"\t\t\t\t", 2)
