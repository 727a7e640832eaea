import threading

from build import Cache, Executor, Graph, Recipes

CHAIN = """
a: = text x
b: a = upper
c: b = join -
d: c = upper
"""


def ask_elsewhere(question, answers):
    """Ask in another thread, as a window that shows the progress would do."""
    if "no answer" in answers:
        return
    thread = threading.Thread(target=lambda: answers.append(question()), daemon=True)
    thread.start()
    thread.join(1.5)
    if thread.is_alive():
        answers.append("no answer")


def test_status_is_asked_by_another_thread():
    answers = []

    def listener(event, name):
        if event == "built":
            ask_elsewhere(lambda: (executor.status()["built"], sum(executor.status().values())), answers)

    executor = Executor(Graph.parse(CHAIN), Recipes(), workers=1, listener=listener)
    executor.run(["c"], timeout=2)
    assert answers == [(1, 3), (2, 3), (3, 3)]


def test_listener_cancels_the_build():
    events = []

    def listener(event, name):
        events.append((event, name))
        if (event, name) == ("built", "b"):
            executor.cancel()

    executor = Executor(Graph.parse(CHAIN), Recipes(), listener=listener)
    counts = executor.run(["d"], timeout=1.5)
    assert events == [
        ("running", "a"),
        ("built", "a"),
        ("running", "b"),
        ("built", "b"),
        ("skipped", "c"),
        ("skipped", "d"),
    ]
    assert counts == {"built": 2, "skipped": 2}


def test_skipped_targets_are_asked_for():
    seen, answers = [], []

    def listener(event, name):
        seen.append(f"{event} {name}")
        if event == "skipped":
            ask_elsewhere(lambda: executor.names("skipped"), answers)

    graph = Graph.parse("a: = nothing\nb: a = upper\nc: b a = join -\n")
    executor = Executor(graph, Recipes(), listener=listener)
    executor.run(["c"])
    assert seen == ["running a", "failed a", "skipped b", "skipped c"]
    assert answers == [["b", "c"], ["b", "c"]]


def test_fresh_targets_are_told_in_order():
    cache, seen = Cache(), []
    Executor(Graph.parse(CHAIN), Recipes(), cache).run(["c"])

    def listener(event, name):
        seen.append((event, name, executor.status().get("fresh", 0)))

    executor = Executor(Graph.parse(CHAIN), Recipes(), cache, workers=3, listener=listener)
    executor.run(["d"], timeout=1.5)
    assert seen == [("fresh", "a", 1), ("fresh", "b", 2), ("fresh", "c", 3), ("running", "d", 3), ("built", "d", 3)]
