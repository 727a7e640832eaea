from words.game import Game, Refused
from words.letters import Rack
from words.play import Play
from words.row import Row
from words.scorer import Scorer
from words.solver import Solver

DICTIONARY = ["quiz", "cat", "cats", "box", "jay", "ox"]


def test_solver_for_two_racks():
    scorer = Scorer(Row("t..D."))
    solver = Solver(DICTIONARY, scorer)
    racks = [Rack("QUI?AY"), Rack("QUIZ"), Rack("?UIZJA")]
    assert [[(points, repr(play)) for points, play in solver.best(rack, 2)] for rack in racks] == [
        [(64, 'QUIz@0'), (24, 'QUIz@1')], [(84, 'QUIZ@0'), (44, 'QUIZ@1')],
        [(25, 'JAy@0'), (24, 'qUIZ@0')],
    ]


def test_real_letter_after_the_blank():
    scorer = Scorer(Row("..T..."))
    plays = [Play("bOX"), Play("BOX"), Play("BOx"), Play("BOX", 3), Play("BOX")]
    assert ([scorer.score(play) for play in plays], scorer.num_scored) == ([27, 36, 12, 12, 36], 4)


def test_same_word_elsewhere_with_a_blank():
    scorer = Scorer(Row("t.D...d"))
    game = Game(DICTIONARY, scorer, {"ann": "JAYOX", "bob": "J?Y?OX"})
    game.play("ann", Play("JAY"))
    refused = []
    for play in (Play("JaY"), Play("JaY", 4)):
        try:
            game.play("bob", play)
        except Refused as error:
            refused.append(str(error))
    game.play("ann", Play("OX", 2))
    assert (game.log, refused, game.points) == (
        ['ann JAY@0 58', 'bob JaY@4 16', 'ann OX@2 18'], ['JaY@0 is repeated'], {'ann': 76, 'bob': 16},
    )


def test_played_set_ignores_blanks():
    plays = [Play("CATS"), Play("cATS"), Play("CATS", 1), Play("CATs", 1)]
    scorer = Scorer(Row("d...."), bonus_length=4, bonus=5)
    assert (len(set(plays)), [scorer.score(play) for play in plays], scorer.num_scored) == (2, [14, 8, 11, 10], 4)
