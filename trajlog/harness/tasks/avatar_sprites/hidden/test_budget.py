from sprites import Avatar, Sprite, SpriteCache
from sprites.avatar import Wardrobe


def test_growing_sprite_pushes_others_out():
    dropped = []
    cache = SpriteCache(50, dropped.append)
    for name in ("old", "ada", "new"):
        cache.put(name, Sprite.blank(4, 4))
    seen = []
    for _ in range(3):
        cache.extend("ada", bytes(16))
        seen.append((cache.names(), cache.used))
    assert (seen, dropped, len(cache)) == (
        [(['new', 'ada'], 48), (['ada'], 48), ([], 0)], ['old', 'new', 'ada'], 0,
    )


def test_smaller_sprite_under_the_same_name():
    cache = SpriteCache(100)
    cache.put("ada", Sprite.blank(9, 9))
    cache.put("ada", Sprite.blank(2, 2))
    cache.put("ben", Sprite.blank(6, 10))
    cache.put("ben", Sprite.blank(6, 6))
    cache.put("cyd", Sprite.blank(10, 6))
    assert (cache.names(), cache.used, cache.get("ada").num_frames) == (['ada', 'ben', 'cyd'], 100, 1)


def test_sprite_too_big_to_keep():
    dropped = []
    cache = SpriteCache(30, dropped.append)
    cache.put("a", Sprite.blank(3, 3))
    cache.put("b", Sprite.blank(3, 3))
    cache.put("whale", Sprite.blank(6, 6))
    cache.put("b", Sprite.blank(8, 8))
    assert (cache.names(), cache.used, dropped) == (['a'], 9, ['whale', 'b'])


def test_sprite_grown_by_its_user():
    cache = SpriteCache(100)
    sprite = Sprite.blank(5, 5)
    cache.put("ada", sprite)
    cache.drop("ada")
    sprite.add(bytes(25))
    cache.put("ada", sprite)
    cache.extend("ada", bytes(25))
    seen = [cache.used]
    cache.put("ada", Sprite.blank(5, 2))
    cache.put("ben", Sprite.blank(5, 6))
    seen.append(cache.used)
    cache.drop("ada")
    assert (seen, cache.used, cache.names()) == ([75, 40], 30, ['ben'])


def test_a_day_of_play():
    pieces = {"body": Sprite.blank(4, 2, 1, 1), "hat": Sprite.blank(4, 2, 2, 2), "cape": Sprite.blank(4, 2, 3, 3)}
    cache = SpriteCache(80)
    wardrobe = Wardrobe(pieces)
    avatars = [Avatar(name, wardrobe, cache) for name in ("ada", "ben", "cyd")]
    for avatar in avatars:
        avatar.wear("hat")
        avatar.gesture(bytes(8))
    avatars[0].undress("hat")
    avatars[1].wear("cape")
    counts = [avatar.sprite().num_frames for avatar in avatars]
    assert (counts, cache.used, cache.names(), wardrobe.num_composed) == ([1, 3, 3], 56, ['ada', 'ben', 'cyd'], 5)
