from league.season import Season

ROUND_ROBIN = [
    "2024-06-01 A 2:1 B",
    "2024-06-01 C 0:0 A",
    "2024-06-01 B 3:0 C",
    "2024-06-01 A 0:1 C",
]
SUNDAY = ["2024-06-02 C 2:2 B", "2024-06-02 B 0:5 A", "2024-06-02 A 1:0 D"]


def test_ratings_of_a_busy_day():
    assert Season(ROUND_ROBIN).replay().exact() == {"A": 1496600, "B": 1508300, "C": 1495100}


def test_two_busy_days_mixed_up():
    lines = [SUNDAY[1], ROUND_ROBIN[3], ROUND_ROBIN[0], SUNDAY[0], ROUND_ROBIN[2], SUNDAY[2], ROUND_ROBIN[1]]
    assert Season(lines).replay().exact() == {"A": 1528328, "B": 1474860, "C": 1493492, "D": 1483240}
    assert Season(lines).table() == [
        " 1. A        1528   5  (best 1528)",
        " 2. C        1493   4  (best 1500)",
        " 3. D        1483   1  (best 1500)",
        " 4. B        1475   4  (best 1508)",
    ]


def test_new_teams_stay_new_for_the_day():
    lines = [f"2024-07-01 Home 1:0 T{n}" for n in range(5)] + ["2024-07-02 Home 0:1 T0"]
    season = Season(lines)
    assert (season.replay("2024-07-01")["Home"], season.replay()["Home"], season.replay()["T0"]) == (
        1583000,
        1565840,
        1512000,
    )


def test_what_one_wins_the_other_loses():
    ratings = Season(ROUND_ROBIN).replay()
    assert sum(ratings.exact().values()) == 4500000


def test_best_counts_after_a_day_only():
    season = Season(["2024-08-01 X 1:0 Y", "2024-08-01 Y 4:0 X", "2024-08-01 X 0:2 Z", "2024-08-03 X 5:0 Z"])
    assert season.table() == [
        " 1. Y        1508   2  (best 1508)",
        " 2. Z        1494   2  (best 1523)",
        " 3. X        1486   4  (best 1500)",
    ]


def test_movers_and_forecast():
    season = Season(ROUND_ROBIN + SUNDAY)
    assert season.movers("2024-06-01", "2024-06-02") == [("A", 31728), ("C", -1608), ("D", -16760), ("B", -33440)]
    assert [season.forecast("A", "D"), season.forecast("D", "A"), season.forecast("B", "C")] == [65, 52, 56]
