from swiss.event import Event
from swiss.reports import entry_list, leaders, table


def test_leaders_keep_everybody_in_the_event():
    event = Event("zoe", "ann", "max", "bea", "tom", "kim")
    assert leaders(event.register, 2) == ["ann", "bea"]
    assert event.start_round() == ["zoe-ann", "max-bea", "tom-kim"]
    assert len(event.register) == 6


def test_rating_counts_in_the_table_only():
    event = Event("zoe", "ann")
    event.register.add("max", 1900)
    event.register.add("bea", 2100)
    assert table(event.register) == ["1. bea 0", "2. max 0", "3. ann 0", "4. zoe 0"]
    assert event.start_round() == ["zoe-ann", "max-bea"]
    assert entry_list(event.register) == ["#1 zoe", "#2 ann", "#3 max", "#4 bea"]


def test_whole_event_with_reports_between():
    event = Event("e", "d", "c", "b", "a")
    rounds = []
    for results in [(1, 0), (0.5, 1), (0, 1)]:
        leaders(event.register, 1)
        rounds.append(event.start_round())
        table(event.register)
        event.finish_round(*results)
    assert rounds == [["e-d", "c-b"], ["e-b", "a-d"], ["a-b", "e-c"]]
    assert table(event.register) == ["1. b 2.5", "2. e 2.5", "3. a 2", "4. c 1", "5. d 1"]


def test_cross_table_follows_start_numbers():
    event = Event("x", "m", "k", "a")
    leaders(event.register)
    event.start_round()
    event.enter("1/2, 0-1")
    table(event.register)
    assert event.cross_table() == ["x - 0.5 - -", "m 0.5 - - -", "k - - - 0", "a - - 1 -"]


def test_start_numbers_after_some_rounds():
    event = Event("x", "m", "k", "a")
    event.start_round()
    event.finish_round(0, 1)
    table(event.register)
    assert entry_list(event.register) == ["#1 x", "#2 m", "#3 k", "#4 a"]
    assert event.start_round() == ["m-k", "x-a"]
