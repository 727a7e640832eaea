import pytest
from chat.rooms import Lobby, StaffRoom
from chat.server import Server


@pytest.fixture
def server():
    made = Server()
    made.open(Lobby("lobby")).join("ada")
    made.open(StaffRoom("staff", "ada")).join("ben")
    return made


def test_plain_text_and_me(server):
    server.say("lobby", "ada", "hello")
    server.say("lobby", "ada", "/me waves twice")
    assert server._rooms["lobby"].lines == ["* ada joins", "<ada> hello", "* ada waves twice"]


def test_staff_commands(server):
    server.say("staff", "ada", "/topic 'new rules'")
    assert server.say("staff", "ben", "/kick ada") == "error: only the owner may do that"
    assert server.say("staff", "ada", "/help") == "/help /kick /me /topic"


def test_lobby_offers_its_own_commands(server):
    assert server.say("lobby", "ada", "/help") == "/help /me /topic"
    assert server.say("lobby", "ada", "/topic") == "no topic"


def test_news(server):
    server.news("ada")
    server.say("lobby", "ada", "hello @ben")
    assert (server.news("ada"), server.rooms_of("ben")) == ({"lobby": ["<ada> hello @ben"]}, ["staff"])


def test_strangers_and_unknown_commands(server):
    assert server.say("lobby", "eve", "hi") == "error: eve is not in lobby"
    assert server.say("lobby", "ada", "/dance") == "error: unknown command /dance"
