import pytest
from build import Cache, Executor, Graph, GraphError, Recipes

FILE = """
greeting: = text hello
name: = text world   # of whom else
line: greeting name = join ,
loud: line = upper
"""


def test_build_in_order():
    executor = Executor(Graph.parse(FILE), Recipes())
    assert executor.run(["loud"]) == {"built": 4}
    assert executor.outputs["loud"] == "HELLO,WORLD"


def test_second_build_is_fresh():
    cache, graph = Cache(), Graph.parse(FILE)
    Executor(graph, Recipes(), cache).run(["line"])
    assert Executor(graph, Recipes(), cache).run(["loud"]) == {"built": 1, "fresh": 3}


def test_failure_skips_what_needs_it():
    executor = Executor(Graph.parse(FILE + "bad: greeting name = upper\nworse: bad = upper\n"), Recipes())
    assert executor.run(["worse", "loud"]) == {"built": 4, "failed": 1, "skipped": 1}
    assert str(executor.errors["bad"]) == "upper wants exactly one input"


def test_progress_bar():
    shares = []

    def listener(event, name):
        if event == "built":
            counts = executor.status()
            shares.append((name, counts["built"], sum(counts.values())))

    executor = Executor(Graph.parse(FILE), Recipes(), workers=1, listener=listener)
    executor.run(["loud"], timeout=1.5)
    assert shares == [("greeting", 1, 4), ("name", 2, 4), ("line", 3, 4), ("loud", 4, 4)]


def test_circles_are_refused():
    with pytest.raises(GraphError, match="circle: a > b > a"):
        Executor(Graph.parse("a: b = join -\nb: a = join -"), Recipes()).run(["a"])
