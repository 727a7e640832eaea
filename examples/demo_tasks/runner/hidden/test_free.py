import pytest
from run import Runner


def test_free_after():
    r = Runner()
    assert [r.run(r.lock.locked), r.lock.locked()] == [True, False]


def test_free_after_error():
    r = Runner()
    with pytest.raises(ZeroDivisionError):
        r.run(lambda: 1 / 0)
    assert [r.lock.locked(), r.run(lambda: 7)] == [False, 7]
