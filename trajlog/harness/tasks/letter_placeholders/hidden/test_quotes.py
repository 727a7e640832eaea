import pytest
from letters.errors import TemplateError
from letters.template import render


def test_bars_in_all_quotes():
    texts = ("{{ x | default: 'a|b' | upper }}", '{{ x | default: "|" }}', "{{ 'p|q' | replace: '|', \" | \" }}",
             '{{ "|" | default: "x" }}')
    assert [render(text) for text in texts] == ["A|B", "|", "p | q", "|"]


def test_other_kind_of_quote():
    texts = ("{{ x | default: \"it's | ok\" }}", """{{ x | default: 'say "a | b' | lower }}""",
             """{{ x | default: 'it"s' | replace: "'", '|' | default: "don't | do" }}""")
    assert [render(text) for text in texts] == ["it's | ok", 'say "a | b', 'it"s']


def test_backslashes():
    texts = (r'{{ x | default: "a \"b | c\" d" }}', r"{{ x | default: 'it\'s | me' | upper }}",
             r'{{ x | default: "C:\\" | replace: "\\", "|" }}', r"{{ x | default: '\|\\|' }}")
    assert [render(text) for text in texts] == ['a "b | c" d', "IT'S | ME", "C:|", "|\\|"]


def test_other_signs():
    texts = ('{{ x | default: "a, b: c }} | d" }}!', "{{ y | join: ' | ', ' }} ' }}", '{{ y | join:"|":"" }}')
    assert [render(text, y=[1, 2, 3]) for text in texts[:2]] == ["a, b: c }} | d!", "1 | 2 }} 3"]
    with pytest.raises(TemplateError):
        render(texts[2], y=[1])


def test_several_in_a_line():
    text = '{{ a | default: "-|-" }} {{ b | replace: "|", "/" | replace: "/", "||" }} {{ a | default: \'|"\' }}'
    assert render(text, b="1|2") == '-|- 1||2 |"'
