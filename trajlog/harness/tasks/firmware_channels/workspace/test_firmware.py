import pytest
from firmware import DanglingReference, Repository, RepositoryError, Server, WriteBehind
from firmware.device import Device


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def store(server):
    return WriteBehind(server)


def test_first_release(server, store):
    repository = Repository(store)
    repository.release("stable", "pump", "1.0", b"abc", "first")
    assert (server.log, repository.current("stable").line()) == ([], 'pump 1.0 3 B 352441c2 - first')
    assert store.flush() == 2
    assert (server.log, Device("d1", "stable", server).poll()) == (
        ['put image/pump/1.0', 'put channel/stable'], 'pump 1.0 3 B 352441c2 - first',
    )


def test_second_release_in_one_go(server, store):
    repository = Repository(store)
    repository.release("stable", "pump", "1.0", b"abc")
    repository.release("stable", "pump", "1.1", b"abcd")
    repository.upload("pump", "1.2", b"x")
    store.flush()
    assert (repository.current("stable").version, repository.versions("pump")) == ('1.1', ['1.2', '1.1', '1.0'])
    assert server.log[-1] == "put image/pump/1.2"


def test_progress_is_merged(server, store):
    repository = Repository(store)
    Device("d1", "stable", server).install(repository, 20)
    assert (repository.progress(), store.flush(), server.log) == ({"d1": 100}, 1, ["put device/d1"])


def test_errors(server, store):
    repository = Repository(store)
    repository.upload("pump", "1.0", b"")
    with pytest.raises(RepositoryError, match="image/pump/1.0 exists"):
        repository.upload("pump", "1.0", b"")
    with pytest.raises(RepositoryError, match="no image/pump/2.0"):
        repository.point("beta", "pump", "2.0")
    with pytest.raises(DanglingReference):
        server.put("channel/beta", "image/pump/2.0")


def test_limit(server):
    store = WriteBehind(server, limit=3)
    repository = Repository(store)
    for number in range(4):
        repository.upload("fan", f"1.{number}", b"x" * number)
    assert (len(server.log), store.num_pending) == (3, 1)
