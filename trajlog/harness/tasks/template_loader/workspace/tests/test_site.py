import pytest
from templates import Engine, MemorySource, TemplateError


@pytest.fixture
def source():
    return MemorySource.from_file("site.json")


def test_pages(source):
    engine = Engine(source)
    assert engine.render("home", user="Ada", title="T") == "<html>[ACME|T]Hi Ada</html>"
    assert engine.render("list", items=[1, 2]) == "<1><2>"


def test_unchanged_pages_are_compiled_once(source):
    engine = Engine(source)
    for user in "abc":
        engine.render("home", user=user)
    assert engine.compiled == ["home"]


def test_edited_include(source):
    engine = Engine(source)
    engine.render("list", items="x")
    source.write("row", "({$x})")
    assert [engine.render("list", items="xy"), engine.compiled] == ["(x)(y)", ["list", "list"]]


def test_edited_logo(source):
    engine = Engine(source)
    engine.render("home", user="Ada")
    source.write("logo", "NEW")
    assert engine.render("home", user="Ada", title="T") == "<html>[NEW|T]Hi Ada</html>"


def test_errors(source):
    source.write("a", "{include b}")
    source.write("b", "{include a}")
    with pytest.raises(TemplateError, match="a includes itself"):
        Engine(source).render("a")
    source.write("c", "{block x}")
    with pytest.raises(TemplateError, match="c: {end} is missing"):
        Engine(source).render("c")
