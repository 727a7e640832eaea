import pytest
from boot.container import Container
from boot.ports import PortInUse, Ports
from boot.service import Service, State, StateError
from boot.services import shop


class Stubborn(Service):
    """Raises while stopping."""

    def on_stop(self):
        raise RuntimeError(f"{self.name} will not stop")


class Broken(Service):
    """Raises while starting."""

    def on_start(self):
        raise OSError(f"{self.name} will not start")


def test_start_works_after_the_cause_is_gone():
    ports = Ports()
    ports.bind(8080, "old api")
    container = Container(shop(ports))
    for _ in range(2):
        with pytest.raises(PortInUse, match="old api"):
            container.start()
    ports.free(8080, "old api")
    container.start()
    assert container.is_running
    assert ports.held() == {5432: "database", 8080: "api"}
    running = [service.name for service in container.services if service.is_running]
    assert running == ["api", "cache", "database", "mailer"]


def test_the_service_that_failed_is_not_stopped():
    container = Container([Service("a"), Broken("b", ["a"]), Service("c", ["b"])])
    with pytest.raises(OSError, match="b will not start"):
        container.start()
    assert container.log == ["started a", "stopped a"]
    assert [service.state for service in container.services] == [State.STOPPED, State.NEW, State.NEW]


def test_failure_while_rolling_back_does_not_hide_the_cause():
    container = Container([Service("a"), Stubborn("b", ["a"]), Broken("c", ["b"])])
    with pytest.raises(OSError, match="c will not start"):
        container.start()
    assert not container["a"].is_running
    assert not container["b"].is_running
    assert not container.is_running
    assert container.log == ["started a", "started b", "stopped b", "stopped a"]


def test_one_bad_stop_does_not_keep_the_others_running():
    services = [Service("a"), Stubborn("b", ["a"]), Stubborn("c", ["b"]), Service("d", ["c"])]
    container = Container(services)
    container.start()
    with pytest.raises(RuntimeError, match="c will not stop"):
        container.stop()
    assert not any(service.is_running for service in services)
    assert container.log[4:] == ["stopped d", "stopped c", "stopped b", "stopped a"]
    assert not container.is_running


def test_second_start_is_refused_and_changes_nothing():
    container = Container([Service("a"), Service("b", ["a"])])
    container.start()
    with pytest.raises(StateError):
        container.start()
    assert container.is_running
    assert all(service.is_running for service in container.services)
    container.stop()
    assert container.log == ["started a", "started b", "stopped b", "stopped a"]
