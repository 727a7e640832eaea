import pytest
from letters.errors import TemplateError
from letters.template import Template, render


def test_paths():
    data = {"user": {"name": "Ada", "tags": ["a", "b"]}, "n": 3}
    text = "Dear {{user.name}}, {{ user.tags.1 }}{{ user.tags.7 }}{{! no }} {{n}}"
    assert Template(text).render(data) == "Dear Ada, b 3"


def test_filters():
    assert render("{{ x | default: 'n/a, sorry' | upper }}", x="") == "N/A, SORRY"
    assert render('{{ x | join: "; ", " and " }}', x=["a", "b", "c"]) == "a; b and c"
    assert render("{{ total | money: currency }}", total=1234.5, currency="SEK") == "1,234.50 SEK"


def test_bar_in_a_default():
    assert render('Phone: {{ phone | default: "none | ask" }}.') == "Phone: none | ask."


def test_value_is_not_read_again():
    assert render("{{ a }}{{ b }}", a="{{ b }}", b="|") == "{{ b }}|"


@pytest.mark.parametrize("text", ["\n{{ a", "\n{{ a | nope }}", "\n{{ a | wrap: ? }}", "\n{{ a | replace: 'x' }}"])
def test_mistakes(text):
    with pytest.raises(TemplateError, match="line 2"):
        render(text, a="1")
