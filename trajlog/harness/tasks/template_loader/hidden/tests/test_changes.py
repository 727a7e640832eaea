import pytest
from templates import Engine, MemorySource, TemplateError


def render_after(source, engine, page, *changes, **values):
    shown = [engine.render(page, **values)]
    for name, text in changes:
        source.write(name, text)
        shown.append(engine.render(page, **values))
    return shown


def test_chain_of_includes():
    source = MemorySource({"a": "a{include b}", "b": "b{include c}", "c": "c{include d}"})
    source.write("d", "d{include e}")
    source.write("e", "e")
    engine = Engine(source)
    changes = [("e", "E"), ("c", "C{include d}"), ("f", "unused"), ("b", "B{include c}")]
    shown = render_after(source, engine, "a", *changes)
    assert shown == ["abcde", "abcdE", "abCdE", "abCdE", "aBCdE"]
    assert engine.compiled == ["a", "a", "a", "a"]


def test_include_taken_up_by_an_edit_further_down():
    source = MemorySource({"a": "{include b}", "b": "-", "c": "c1", "d": "d1"})
    engine = Engine(source)
    shown = render_after(
        source, engine, "a", ("b", "{include c}"), ("c", "c2{include d}"), ("d", "d2"), ("b", "off"), ("d", "d3")
    )
    assert shown == ["-", "c1", "c2d1", "c2d2", "off", "off"]
    assert len(engine.compiled) == 5


def test_layout_of_a_layout():
    source = MemorySource({
        "base": "<{block a}1{end}{include foot}>", "foot": "f", "mid": "{extends base}{block a}2{include item}{end}",
        "page": "{extends mid}", "item": "i",
    })
    engine = Engine(source)
    shown = render_after(source, engine, "page", ("foot", "F"), ("item", "I"), ("base", "({block a}1{end})"))
    assert shown == ["<2if>", "<2iF>", "<2IF>", "(2I)"]


def test_include_inside_of_loops_and_blocks():
    source = MemorySource({
        "p": "{extends l}{block b}{for x in xs}{include r}{end}{end}", "l": "[{block b}{end}]", "r": "{include s}",
        "s": "{$x}",
    })
    engine = Engine(source)
    assert render_after(source, engine, "p", ("s", "{$x}{$x}"), ("r", "r"), xs="ab") == ["[ab]", "[aabb]", "[rr]"]


def test_removed_and_restored():
    source = MemorySource({"a": "{include b}", "b": "{include c}", "c": "1"})
    engine = Engine(source)
    shown = [engine.render("a")]
    source.remove("c")
    with pytest.raises(TemplateError, match="no template c"):
        engine.render("a")
    source.write("c", "2")
    shown += [engine.render("a"), engine.render("b")]
    assert (shown, engine.compiled) == (["1", "2", "2"], ["a", "a", "b"])
