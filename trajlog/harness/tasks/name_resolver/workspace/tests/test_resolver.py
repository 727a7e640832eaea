import pytest
from resolver.client import Resolver
from resolver.records import NoName, NoRecord, TooManyAliases
from resolver.upstream import Upstream, Zone


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def upstream():
    shop = Zone("shop", negative=120)
    shop.add("mail", "A", "10.0.0.7").add("www", "CNAME", "web.shop.", ttl=20).add("web", "A", "10.0.0.1", "10.0.0.2")
    shop.add("loop", "CNAME", "loop.shop")
    return Upstream(shop)


def test_answers_live_for_their_ttl(upstream, clock):
    resolver = Resolver(upstream, clock)
    for clock.now in (0, 19, 20, 59, 60):
        assert resolver.resolve("WWW.shop") == ["10.0.0.1", "10.0.0.2"]
    assert upstream.log == ["www.shop A", "web.shop A", "www.shop A", "www.shop A", "web.shop A"]


def test_missing_type(upstream, clock):
    resolver = Resolver(upstream, clock)
    with pytest.raises(NoRecord, match="mail.shop TXT"):
        resolver.resolve("mail.shop", "TXT")
    assert resolver.resolve("mail.shop") == ["10.0.0.7"]


def test_missing_name_is_asked_for_once(upstream, clock):
    resolver = Resolver(upstream, clock)
    for _ in range(2):
        with pytest.raises(NoName, match="nothing.shop"):
            resolver.resolve("nothing.shop")
    assert upstream.log == ["nothing.shop A"]


def test_alias_loop(upstream, clock):
    with pytest.raises(TooManyAliases, match="loop.shop"):
        Resolver(upstream, clock).resolve("loop.shop")
