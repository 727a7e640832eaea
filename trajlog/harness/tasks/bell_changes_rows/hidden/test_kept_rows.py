from changes import is_true, plain_hunt, printed, touch


def test_rows_stay_while_others_are_rung():
    rows = plain_hunt(5)
    first, second = next(rows), next(rows)
    third = next(rows)
    assert (first, second, third) == ([1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [2, 4, 1, 5, 3])


def test_printed_touches():
    assert printed(touch(6, ["plain", "bob"]))[10:] == [
        "315264", "132546", "135264", "312546", "321456", "234165", "243615", "426351", "462531",
        "645213", "654123", "561432", "516342", "153624", "135642",
    ]


def test_true_and_false_touches():
    assert [is_true(touch(6, leads)) for leads in (["plain"] * 5, ["bob"] * 3, ["plain"] * 6)] == [
        True, True, False,
    ]


def test_kept_row_can_be_changed():
    rows = touch(4, ["plain"])
    row = next(rows)
    row.reverse()
    assert [row, *list(rows)[:3]] == [[4, 3, 2, 1], [2, 1, 4, 3], [2, 4, 1, 3], [4, 2, 3, 1]]
