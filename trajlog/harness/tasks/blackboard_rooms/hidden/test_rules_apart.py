from building.agent import Agent
from building.rules import parse_rule
from building.simulation import Simulation


def test_lasting_counts_per_room():
    simulation = Simulation()
    for room in ("east", "west"):
        simulation.agent(room, room, "when damp > 50 for 3 do fan on", "when damp changes do note")
    log = simulation.run("east damp=60\nwest damp=60\neast damp=60\nwest damp=70\neast damp=61\nwest damp=70")
    assert log == ['4 west: note', '5 east: fan on', '5 east: note', '6 west: fan on']


def test_equal_rules_in_one_agent():
    agent = Agent("a", "den", ["when temp rises above 24 do open window", "when temp  rises above 24 do  open window"])
    agent.add("when temp rises above 24 do open window")
    assert [agent.observe({"temp": value}) for value in (20, 25, 26, 22, 30)] == [
        [], ['den: open window', 'den: open window', 'den: open window'], [], [],
        ['den: open window', 'den: open window', 'den: open window'],
    ]


def test_second_simulation_starts_afresh():
    logs = []
    for _ in range(2):
        simulation = Simulation()
        simulation.agent("x", "yard", "when wind rises above 8 or rain = 1 for 2 do close awning")
        logs.append(simulation.run("yard wind=9 rain=1\nyard wind=7\nyard wind=9 rain=0"))
    assert logs == [
        ['2 yard: close awning', '3 yard: close awning'],
        ['2 yard: close awning', '3 yard: close awning'],
    ]


def test_reset_is_the_agents_own():
    texts = ["when temp falls below 10 do heat"]
    one, two = Agent("one", "a", texts), Agent("two", "b", texts)
    seen = [one.observe({"temp": 12}), two.observe({"temp": 13})]
    one.reset()
    seen += [one.observe({"temp": 9}), two.observe({"temp": 8}), one.observe({"temp": 11}), one.observe({"temp": 7})]
    assert seen == [[], [], [], ['b: heat'], [], ['a: heat']]


def test_rules_read_after_use_of_an_equal_one():
    text = "when not (power changes) for 2 do save"
    used = parse_rule(text)
    first = [used.fires({"power": value}) for value in (1, 1, 1)]
    fresh = parse_rule(text)
    second = [fresh.fires({"power": value}) for value in (2, 3, 3, 3)]
    used.reset()
    third = [used.fires({"power": value}) for value in (5, 5)]
    assert {"first": first, "second": second, "third": third} == {
        'first': [False, True, False], 'second': [False, False, False, True], 'third': [False, True],
    }
