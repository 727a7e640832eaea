import pytest
from run import Runner


def test_free_after():
    r = Runner()
    assert r.run(r.lock.locked)
    assert not r.lock.locked()


def test_free_after_error():
    r = Runner()
    with pytest.raises(ZeroDivisionError):
        r.run(lambda: 1 / 0)
    assert not r.lock.locked()
