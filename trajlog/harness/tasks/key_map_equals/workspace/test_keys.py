from keys.config import load
from keys.keyboard import Keyboard

CONF = """
# everywhere
ctrl+s = save
ctrl+- = zoom-in
g g | home = go --line=1
ctrl+x ctrl+c = quit "really?"
[editor]
tab = indent
ctrl+s = save --all
"""


def test_bindings():
    keymaps, problems = load(CONF)
    assert keymaps["global"].lines() == [
        "ctrl+-: zoom-in",
        "ctrl+s: save",
        "ctrl+x ctrl+c: quit 'really?'",
        "g g: go --line=1",
        "home: go --line=1",
    ]
    assert problems == []


def test_sequences_and_modes():
    keyboard = Keyboard(load(CONF)[0], mode="editor")
    assert keyboard.type("g home ctrl+s ctrl+x ctrl+c tab g x") == [
        "go --line=1",
        "save --all",
        "quit 'really?'",
        "indent",
    ]
    assert Keyboard(load(CONF)[0]).type("Ctrl+S tab") == ["save"]


def test_equals_as_a_key():
    keymaps, problems = load("ctrl+= = zoom-out\n= = reformat")
    assert Keyboard(keymaps).type("ctrl+= = ctrl+equals") == ["zoom-out", "reformat", "zoom-out"]
    assert problems == []


def test_problems():
    assert load('ctrl+s = save\nctrl+s x = y\nctrl+s\nf5 = \nq = "a')[1] == [
        "line 2: ctrl+s is bound already",
        "line 3: no = in the line",
        "line 4: a command is missing",
        "line 5: no closing quotation: \"a",
    ]


def test_pending_keys():
    keyboard = Keyboard(load(CONF)[0])
    keyboard.type("ctrl+x")
    assert keyboard.pending == "ctrl+x"
