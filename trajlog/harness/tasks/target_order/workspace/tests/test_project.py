import pytest
from buildfile import BuildFileError
from project import Project

TEXT = """
app: lib util -static
lib: util
util:
docs:
util = cc util.c   # slow
lib = ar lib util
app = cc -o app
"""


def test_order():
    assert Project(TEXT).order() == ["util", "lib", "app", "docs"]


def test_order_after_check():
    project = Project(TEXT)
    assert project.check() == ["docs does nothing"]
    assert project.order() == ["util", "lib", "app", "docs"]


def test_problems_are_found():
    assert Project("a: b\nb: c\nc: b\n").check() == ["circle: b -> c -> b"]
    with pytest.raises(BuildFileError, match="line 2: b is not a target"):
        Project("a:\nb = run")


def test_build_stops_at_a_failure():
    ran = []
    assert Project(TEXT).build(lambda command: ran.append(command) or "lib" not in command) == ["util"]
    assert ran == ["cc util.c", "ar lib util"]
