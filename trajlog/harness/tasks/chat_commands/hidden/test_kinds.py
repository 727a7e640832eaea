from chat.commands import command
from chat.rooms import Lobby, Room, StaffRoom


class QuietLobby(Lobby):
    disabled = ("me",)


class Library(QuietLobby):
    @command("loan", "TITLE")
    def loan(self, author, title):
        return f"{author} borrows {title}"


class Stage(StaffRoom):
    @command("me", "TEXT...")
    def me(self, author, *words):
        self.history.append(f"** {author.upper()} {' '.join(words)}")


def names(kind):
    return sorted(kind.commands)


def test_commands_of_every_kind():
    assert [names(kind) for kind in (Room, Lobby, StaffRoom)] == [
        ["help", "me"], ["help", "me", "topic"], ["help", "kick", "me", "topic"]
    ]


def test_disabled_commands_stay_disabled_below():
    assert [names(QuietLobby), names(Library)] == [["help", "topic"], ["help", "loan", "topic"]]
    room = Lobby("l")
    room.join("ada")
    room.post("ada", "/me is here")
    assert room.lines == ["* ada joins", "* ada is here"]


def test_replaced_command_is_not_replaced_elsewhere():
    stage, staff = Stage("stage", "ada"), StaffRoom("staff", "ada")
    for room in (stage, staff):
        room.post("ada", "/me bows")
    assert [stage.lines[-1], staff.lines[-1]] == ["** ADA bows", "* ada bows"]


def test_topic_of_the_lobby_beside_the_staff_room():
    lobby, library = Lobby("l"), Library("b")
    lobby.topic, library.topic = "tea", "books"
    for room in (lobby, library):
        room.join("ada")
    answers = [lobby.post("ada", "/topic"), library.post("ada", "/topic"), library.post("ada", "/loan Emma")]
    assert answers == ["tea", "books", "ada borrows Emma"]
