from door import Door


def test_open_inside():
    with Door() as d:
        assert d.is_open


def test_closed_after():
    with Door() as d:
        pass
    assert not d.is_open
