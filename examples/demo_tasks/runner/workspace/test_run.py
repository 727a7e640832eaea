from run import Runner


def test_locked():
    r = Runner()
    assert r.run(r.lock.locked)


def test_result():
    assert Runner().run(lambda: 7) == 7
