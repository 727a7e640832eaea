from lexicon import Lexicon, Medium

WORDS = {name: name.upper() for name in ("walk", "run", "mouse", "city", "be", "stop", "glass")}


def started(limit, *words):
    medium = Medium(WORDS)
    lexicon = Lexicon(medium, limit)
    for word in words:
        lexicon.meaning(word)
    return medium, lexicon


def test_order_after_corrections():
    _, lexicon = started(4, "walk", "run", "city")
    orders = [lexicon.recent.order()]
    for word in ("walked", "runs", "walks"):
        lexicon.correct(word, "new")
        orders.append(lexicon.recent.order())
    assert orders == [
        ["city", "run", "walk"], ["walk", "city", "run"], ["run", "walk", "city"], ["walk", "run", "city"]
    ]
    assert len(lexicon.recent) == 3


def test_many_corrections_push_nothing_out():
    medium, lexicon = started(3, "walk", "run", "city")
    for number in range(10):
        lexicon.correct("cities", f"meaning {number}")
    found = [lexicon.meaning(word) for word in ("walk", "run", "city")]
    assert (found, medium.reads) == (["WALK", "RUN", "meaning 9"], ["walk", "run", "city"])


def test_refresh_counts_as_use():
    medium, lexicon = started(3, "walk", "run", "city")
    medium.write("walk", "again")
    lexicon.refresh("walk", "walking", "run")
    lexicon.meaning("stopped")
    seen = [lexicon.meaning("walk"), lexicon.recent.order(), "city" in lexicon.recent]
    assert seen == ["again", ["walk", "stop", "run"], False]
    assert medium.reads == ["walk", "run", "city", "walk", "run", "stop"]


def test_exactly_limit_words_are_kept():
    medium, lexicon = started(4, "walk", "run", "mice", "cities")
    lexicon.correct("mouse", "x")
    lexicon.correct("ran", "y")
    sizes = []
    for word in ("been", "stop", "glass", "walk", "run"):
        lexicon.meaning(word)
        sizes.append((len(lexicon.recent), lexicon.recent.order()[-1]))
    assert sizes == [(4, "city"), (4, "mouse"), (4, "run"), (4, "be"), (4, "stop")]
    assert medium.reads[4:] == ["be", "stop", "glass", "walk", "run"]


def test_forgetting_a_corrected_word():
    _, lexicon = started(3, "walk", "run")
    lexicon.correct("run", "z")
    gone = [lexicon.forget("running"), lexicon.forget("running")]
    lexicon.meaning("city"), lexicon.meaning("be")
    assert (gone, lexicon.recent.order(), len(lexicon.recent)) == ([True, False], ["be", "city", "walk"], 3)


def test_limit_of_one():
    medium, lexicon = started(1, "walk")
    lexicon.correct("walk", "w")
    lexicon.correct("walk", "v")
    found = [lexicon.meaning("walks"), lexicon.meaning("run"), lexicon.meaning("ran")]
    assert (found, lexicon.recent.order(), medium.reads) == (["v", "RUN", "RUN"], ["run"], ["walk", "run"])
