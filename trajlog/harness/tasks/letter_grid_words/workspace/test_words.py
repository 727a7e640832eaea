import pytest
from words.game import Bag, Game, Refused
from words.letters import Rack, RackError
from words.play import Play
from words.row import Row
from words.scorer import Scorer
from words.solver import Solver


def test_spelling():
    assert [Rack("TAC?").spell(word) for word in ("cat", "act", "cab", "bob")] == ["CAT", "ACT", "CAb", None]


def test_points():
    scorer = Scorer(Row(".d.D.t"))
    assert [scorer.score(Play("CAT", start)) for start in range(4)] == [6, 16, 10, 14]
    assert (scorer.score(Play("ZEBRAs")), scorer.num_scored) == (34, 5)


def test_blank_after_the_real_letter():
    scorer = Scorer(Row("...."))
    assert [scorer.score(Play(letters)) for letters in ("CAT", "CAt")] == [5, 4]


def test_repeated():
    game = Game(["cat"], Scorer(Row("....")), {"ann": "CAT", "bob": "CA?"})
    game.play("ann", Play("CAT"))
    with pytest.raises(Refused, match="CAt@0 is repeated"):
        game.play("bob", Play("CAt"))
    with pytest.raises(RackError, match=r"no T in \?AC"):
        game.play("bob", Play("CAT", 1))


def test_best():
    solver = Solver(["cat", "at", "tack"], Scorer(Row(".D..")))
    assert [(points, repr(play)) for points, play in solver.best(Rack("CAT?"), 3)] == [
        (10, 'CAT@0'), (10, 'CAT@1'), (10, 'TACk@0'),
    ]


def test_exchange():
    bag, rack = Bag("xyz"), Rack("cat")
    bag.exchange(rack, "ac")
    assert (rack.letters, bag.draw(3)) == (["T", "X", "Y"], ["Z", "A", "C"])
    with pytest.raises(Refused, match="only 0 letters in the bag"):
        bag.exchange(rack, "T")
