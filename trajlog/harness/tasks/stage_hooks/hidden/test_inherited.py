from pipeline.stage import Stage


def family():
    class Parent(Stage):
        pass

    class Child(Parent):
        pass

    class Sibling(Parent):
        pass

    return Parent, Child, Sibling


def mark(stage, moment, text):
    stage.hook(moment)(lambda record: {"trace": [*record["trace"], text]})


def trace(stage):
    return stage().run({"trace": []})["trace"]


def test_hook_of_a_parent_runs_on_the_child():
    class Parent(Stage):
        pass

    mark(Parent, "after", "parent")

    class Child(Parent):
        pass

    mark(Child, "after", "child")
    assert trace(Child) == ["parent", "child"]


def test_hook_added_to_the_parent_later_runs_on_the_child():
    parent, child, _ = family()
    mark(child, "before", "child")
    mark(parent, "before", "parent")
    assert trace(child) == ["parent", "child"]


def test_hook_of_a_child_does_not_run_on_parent_or_sibling():
    parent, child, sibling = family()
    mark(child, "before", "child")
    mark(parent, "after", "parent")
    assert trace(parent) == ["parent"]
    assert trace(sibling) == ["parent"]
    assert trace(child) == ["child", "parent"]


def test_hooks_of_the_base_run_on_every_stage():
    parent, child, _ = family()
    mark(child, "before", "child")
    state = {}

    @Stage.hook("before")
    def count(record):
        state["runs"] = state.get("runs", 0) + 1
        return record

    assert trace(child) == ["child"]
    assert trace(parent) == []
    assert state["runs"] == 2
