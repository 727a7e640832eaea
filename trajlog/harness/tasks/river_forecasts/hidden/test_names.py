from river.gauges import Gauge, Register
from river.office import Office
from river.page import page
from river.service import Service

GAUGES = [
    Gauge("Old Bridge", "Aue", 3.5, ("bridge", "Altbruecke")),
    Gauge("Upper Mill", "Aue", 2.0, ("mill",)),
    Gauge("Harbour", "Aue", 5.0),
]


def made(clock=lambda: 0):
    office = Office()
    return office, Service(Register(GAUGES), office, clock)


def test_alias_asked_for():
    office, service = made()
    office.publish("Old Bridge", [3.1])
    seen = [service.peak(name) for name in ("bridge", "altbruecke", "Old  bridge")]
    office.publish("Old Bridge", [3.9, 3.2])
    seen += [service.peak(name) for name in ("bridge", "altbruecke", "Old  bridge")]
    assert (seen, office.requests, service.num_kept) == (
        [3.1, 3.1, 3.1, 3.9, 3.9, 3.9], ['Old Bridge', 'Old Bridge'], 1,
    )


def test_alias_in_the_bulletin():
    office, service = made()
    office.publish("MILL", [1.25])
    office.publish("harbour", [4.5])
    seen = [service.peak("Upper Mill"), service.peak("HARBOUR"), service.peak("mill")]
    office.publish("Mill", [2.75])
    office.publish("harbour", [4.75])
    seen += [service.peak("Upper Mill"), service.peak("Harbour"), service.peak("mill")]
    assert (seen, service.warnings("Aue"), office.requests) == (
        [1.25, 4.5, 1.25, 2.75, 4.75, 2.75], ['Upper Mill: 1 h above 2.00 m'],
        ['Upper Mill', 'Harbour', 'Upper Mill', 'Harbour', 'Old Bridge'],
    )


def test_age_counts_from_the_fetch_under_any_name():
    hours = [0]
    office, service = made(lambda: hours[0])
    office.publish("harbour", [4.0])
    for hours[0], name in ((0, "Harbour"), (3, "harbour"), (5, " HARBOUR "), (6, "Harbour"), (11, "harbour")):
        service.peak(name)
    assert (office.requests, service.num_kept, page(service, ["harbour"], 10)) == (
        ['Harbour', 'Harbour'], 1, ['Harbour   # 4.00'],
    )


def test_other_gauges_stay_in_memory():
    office, service = made()
    for name, level in (("bridge", 2.0), ("mill", 1.0), ("harbour", 3.0)):
        office.publish(name, [level])
    service.warnings("Aue")
    office.publish("Old-Bridge", [4.0])
    assert (service.warnings("Aue"), page(service, ["bridge", "mill"], 12), office.requests) == (
        ['Old Bridge: 1 h above 3.50 m'], ['Old Bridge  # 4.00', 'Upper Mill  # 1.00'],
        ['Harbour', 'Old Bridge', 'Upper Mill', 'Old Bridge'],
    )
