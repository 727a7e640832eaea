import pytest
from boot.container import Container
from boot.graph import CircleError
from boot.ports import PortInUse, Ports
from boot.report import status_lines
from boot.service import Service
from boot.services import shop


@pytest.fixture
def ports():
    return Ports()


def test_services_start_after_what_they_need(ports):
    container = Container(shop(ports))
    container.start()
    assert container.log == ["started database", "started mailer", "started cache", "started api"]
    assert ports.held() == {5432: "database", 8080: "api"}


def test_stop_is_in_reverse_order_and_frees_all_ports(ports):
    with Container(shop(ports)) as container:
        container.log.clear()
    assert container.log == ["stopped api", "stopped cache", "stopped mailer", "stopped database"]
    assert ports.held() == {}
    assert not container.is_running


def test_circle_of_services_is_refused():
    container = Container([Service("a", ["b"]), Service("b", ["a"])])
    with pytest.raises(CircleError, match="a, b"):
        container.start()


def test_failed_start_leaves_nothing_running(ports):
    ports.bind(8080, "old api")
    container = Container(shop(ports))
    with pytest.raises(PortInUse, match="old api"):
        container.start()
    assert not container.is_running
    assert ports.held() == {8080: "old api"}
    assert container.log[3:] == ["stopped cache", "stopped mailer", "stopped database"]


def test_report_lists_states(ports):
    container = Container(shop(ports))
    container.start()
    assert status_lines(container) == [
        "api: running",
        "cache: running (needed by api)",
        "database: running (needed by api, cache)",
        "mailer: running (needed by api)",
    ]
