import pytest
from catalogue.entries import Catalogue, Entry
from catalogue.pofile import dumps, loads
from catalogue.quoting import CatalogueError
from catalogue.update import update


def test_short_messages():
    catalogue = Catalogue("nl", [Entry("Open", "Openen", ["menu"]), Entry('Say "hi"', 'Zeg "hoi"', is_fuzzy=True)])
    assert dumps(catalogue).split("\n")[2:9] == [
        "# menu",
        'msgid "Open"',
        'msgstr "Openen"',
        "",
        "#, fuzzy",
        'msgid "Say \\"hi\\""',
        'msgstr "Zeg \\"hoi\\""',
    ]
    assert loads(dumps(catalogue)).progress() == (1, 1, 0)


def test_long_message_is_wrapped():
    text = dumps(Catalogue("nl", [Entry("x" * 130)]))
    assert [len(line) for line in text.split("\n")[2:]] == [8, 62, 62, 12, 9, 0]


def test_line_break_at_the_edge():
    message = "The file could not be saved, as somebody else is using it.\nPlease try again later, or ask."
    loaded = loads(dumps(Catalogue("nl", [Entry("a", "b" + message)])))
    assert loaded.translate("a").split("\n") == [
        "bThe file could not be saved, as somebody else is using it.",
        "Please try again later, or ask.",
    ]


def test_unknown_keywords_are_refused():
    with pytest.raises(CatalogueError, match="unknown keyword 'msgctxt'"):
        loads('# language: nl\n\nmsgctxt "x"\n')


def test_update():
    old = Catalogue("nl", [Entry("Open file", "Bestand openen"), Entry("Quit", "Stoppen")])
    new = update(old, ["Quit", "Open a file", "Help"])
    assert [(entry.source, entry.target, entry.is_fuzzy) for entry in new] == [
        ("Quit", "Stoppen", False),
        ("Open a file", "Bestand openen", True),
        ("Help", "", False),
    ]
