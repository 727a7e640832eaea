import pytest
from door import Door


def test_closed_after_error():
    d = Door()
    seen = []
    with pytest.raises(KeyError), d:
        seen.append(d.is_open)
        raise KeyError("x")
    assert [*seen, d.is_open] == [True, False]
