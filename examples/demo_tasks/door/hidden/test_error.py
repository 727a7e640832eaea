from door import Door


def test_closed_after_error():
    d = Door()
    seen = []
    try:
        with d:
            seen.append(d.is_open)
            raise KeyError("x")
    except KeyError as error:
        seen.append(error.args)
    assert [*seen, d.is_open] == [True, ("x",), False]
