import pytest
from league.formula import change, expectation, points
from league.results import ResultError
from league.season import Season

DAYS = [
    "2024-05-01 Lions 3:1 Bears",
    "2024-05-01 Hawks 0:0 Foxes",
    "2024-05-08 Bears 2:1 Hawks",
    "2024-05-08 Foxes 0:4 Lions",
]
CUP = ["2024-06-01 Lions 1:0 Bears", "2024-06-01 Bears 2:0 Hawks", "2024-06-01 Hawks 1:0 Lions"]


def test_one_game_a_day():
    assert Season(DAYS).table() == [
        " 1. Lions    1551   2  (best 1551)",
        " 2. Bears    1501   2  (best 1501)",
        " 3. Hawks    1479   2  (best 1500)",
        " 4. Foxes    1469   2  (best 1503)",
    ]


def test_order_of_a_day_does_not_matter():
    one, other = Season([*DAYS, *CUP]), Season([*reversed(CUP), *DAYS])
    assert one.replay().exact() == other.replay().exact()


def test_formula():
    assert [expectation(1_500_000, 1_500_000), expectation(1_700_000, 1_500_000), points(1_499_500)] == [
        500,
        760,
        1500,
    ]
    assert [change(24, 1000, 585, 1), change(24, 1000, 585, 3), change(25, 0, 585, 5)] == [9960, 14940, -21938]


def test_replay_until_a_day():
    season = Season(DAYS)
    assert season.replay("2024-05-07").exact() == {
        "Bears": 1483400,
        "Foxes": 1503400,
        "Hawks": 1496600,
        "Lions": 1516600,
    }


def test_bad_lines():
    with pytest.raises(ResultError, match="line 2: Lions - Bears"):
        Season(["# cup", "Lions - Bears"])
    with pytest.raises(ResultError, match="line 1: Lions against itself"):
        Season(["2024-05-01 Lions 3:1 Lions"])
