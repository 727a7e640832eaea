from radio import Station
from radio.console import Console
from radio.songs import Library


def station(**options):
    return Station(Library.load("songs.json"), seed=3, **options)


def test_many_commands_in_a_row():
    radio = station(rounds=1)
    radio.play(2)
    due = radio.upcoming()
    answers = [radio.request("Amber"), radio.request("Nothing"), radio.request("Delta"), radio.ban(due[1])]
    assert (answers, due) == ([1, 0, 2, True], ["Delta", "Ember", "Fjord", "Cedar", "Birch"])
    assert radio.play(20) == ["Amber", "Delta", "Delta", "Fjord", "Cedar", "Birch"]
    assert radio.played == ["Amber", "Amber", "Delta", "Delta", "Fjord", "Cedar", "Birch"]


def test_ban_moves_nothing_else():
    radio = station(rounds=2)
    radio.play(3)
    first, second, *rest = radio.upcoming()
    assert [radio.ban(second), radio.ban(second), radio.request(second), radio.upcoming() == [first, *rest]] == [
        True,
        False,
        0,
        True,
    ]
    assert radio.play(20) == ["Ember", "Cedar", "Birch", "(round 2)", "Birch", "Delta", "Cedar", "Ember", "Amber"]


def test_commands_before_the_first_song():
    radio = station(rounds=1)
    answers = [radio.request("Fjord"), radio.request("Fjord"), radio.ban("Amber")]
    assert (answers, radio.now, radio.skip()) == ([1, 2, True], "(round 1)", "Fjord")
    assert radio.play(3) == ["Fjord", "Delta", "Ember"]


def test_commands_inside_the_news():
    radio = station(headlines=["rain", "wind", "sun"], news_every=2, rounds=1)
    radio.play(4)
    heard = [radio.now, radio.request("Birch"), radio.play()[0], radio.request("Cedar"), radio.skip(), radio.skip()]
    assert heard == ["(rain)", 1, "(wind)", 2, "(sun)", "Birch"]
    assert radio.play(4) == ["Cedar", "(rain)", "(wind)", "(sun)"]


def test_commands_from_the_console():
    lines = ["play 2", "request Cedar", "request Opus", "ban Ember", "ban Ember", "now", "play 2", "request Ember"]
    script = "\n".join([*lines, "line", "play 9", "airtime"])
    assert Console(station(rounds=1)).run(script) == [
        "(round 1), Amber",
        "Cedar is number 1",
        "no Opus",
        "Ember removed",
        "Ember was not due",
        "Amber",
        "Cedar, Delta",
        "no Ember",
        "Fjord, Cedar, Birch",
        "Fjord, Cedar, Birch",
        "Amber x1, Birch x1, Cedar x2, Delta x1, Fjord x1",
    ]


def test_now_stays_while_commands_come():
    radio = station(rounds=1)
    radio.play(2)
    seen = [radio.now]
    for title in ("Ember", "Ember", "Birch"):
        radio.request(title)
        seen.append(radio.now)
    seen += [radio.skip(), radio.now, radio.minutes]
    assert seen == ["Amber", "Amber", "Amber", "Amber", "Ember", "Ember", 0]
