from quiz import OutOfQuestions, Question, Show

STOCK = [Question(n, "film" if n < 7 else "food", 5 * n) for n in range(1, 11)]


def test_no_question_twice_under_many_seeds():
    shows = [Show(STOCK, seed) for seed in range(30)]
    for show in shows:
        show.draw_round(3)
        show.draw_round(4)
        show.draw_round(3)
    asked = [sorted(q.number for drawn in show.rounds for q in drawn) for show in shows]
    assert all(numbers == asked[0] for numbers in asked)
    assert (asked[0], [len(drawn) for drawn in shows[7].rounds]) == ([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [3, 4, 3])


def test_topic_is_used_up_exactly():
    totals = []
    for seed in range(20):
        show = Show(STOCK, seed)
        show.draw_round(4, "food")
        show.draw_round(6, "film")
        totals.append(show.total_points())
    assert sorted(set(totals)) == [275]


def test_sizes_and_a_refused_round():
    sizes = []
    for seed in range(12):
        show = Show(STOCK, seed)
        sizes.append(len(show.draw_round(6)))
        try:
            show.draw_round(5)
        except OutOfQuestions as refused:
            sizes.append(str(refused))
        sizes.append(len(show.available()))
    assert sizes[-6:] == [6, '5 questions wanted, 4 left', 4, 6, '5 questions wanted, 4 left', 4]


def test_final_after_rounds_is_new():
    show = Show(STOCK, seed=11)
    seen = {q.number for q in show.draw_round(9)}
    last = show.final().number
    assert sorted(seen | {last}) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
