from emitter import Emitter
from thermostat import Thermostat


def test_listeners_are_called_in_order_until_cancelled():
    emitter, heard = Emitter(), []
    first = emitter.on("ready", lambda: heard.append(1))
    emitter.on("ready", lambda: heard.append(2))
    assert emitter.emit("ready") == 2
    first.cancel()
    assert emitter.emit("ready") == 1
    assert heard == [1, 2, 2]


def test_all_once_listeners_are_called():
    emitter, heard = Emitter(), []
    emitter.once("ready", lambda: heard.append("a"))
    emitter.once("ready", lambda: heard.append("b"))
    emitter.on("ready", lambda: heard.append("c"))
    assert emitter.emit("ready") == 3
    assert heard == ["a", "b", "c"]
    assert emitter.emit("ready") == 1


def test_thermostat_reports_changes():
    thermostat, heard = Thermostat(limit=30), []
    thermostat.events.on("changed", heard.append)
    thermostat.events.on("hot", lambda degrees: heard.append(f"hot: {degrees}"))
    for degrees in (20, 20, 31):
        thermostat.measure(degrees)
    assert heard == [20, 31, "hot: 31"]
