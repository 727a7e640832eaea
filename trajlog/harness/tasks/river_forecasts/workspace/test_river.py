import pytest
from river.gauges import Gauge, Register, UnknownGauge
from river.office import Office
from river.page import page
from river.service import Service

GAUGES = [Gauge("Old Bridge", "Aue", 3.5, ("bridge",)), Gauge("Mill", "Aue", 2.0), Gauge("Lock", "Wied", 4.0)]


class Hours:
    now = 0

    def __call__(self):
        return self.now


@pytest.fixture
def office():
    return Office()


@pytest.fixture
def service(office):
    return Service(Register(GAUGES), office, Hours())


def test_forecast_is_fetched_once(office, service):
    office.publish("Mill", [1.5, 2.5, 1.75])
    assert (service.peak("Mill"), service.forecast("Mill").levels) == (2.5, (1.5, 2.5, 1.75))
    assert office.requests == ["Mill"]


def test_correction(office, service):
    office.publish("Mill", [1.5])
    office.publish("Lock", [3.0])
    seen = [service.peak("Mill"), service.peak("Lock")]
    office.publish("Mill", [1.8])
    assert [*seen, service.peak("Mill"), service.peak("Lock")] == [1.5, 3.0, 1.8, 3.0]
    assert office.requests == ["Mill", "Lock", "Mill"]


def test_correction_of_another_spelling(office, service):
    office.publish("Old Bridge", [3.0])
    assert service.peak("OLD-BRIDGE") == 3.0
    office.publish("Old Bridge", [3.75])
    assert service.peak("OLD-BRIDGE") == 3.75


def test_warnings(office, service):
    office.publish("Old Bridge", [3.4, 3.6, 3.9])
    office.publish("Mill", [1.0])
    assert service.warnings("Aue") == ["Old Bridge: 2 h above 3.50 m"]
    with pytest.raises(UnknownGauge):
        service.peak("Weir")


def test_page(office, service):
    office.publish("Lock", [1.0, 2.0, 4.0])
    assert page(service, ["Lock", "Mill"], 6) == ["Lock  :=# 4.00", "Mill  no forecast"]
