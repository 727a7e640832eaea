from keys.config import load, parse_line
from keys.keyboard import Keyboard


def lines(text):
    keymaps, problems = load(text)
    return [*keymaps["global"].lines(), *problems]


def test_without_blanks():
    assert lines("ctrl+==zoom-out\nctrl++=bigger\n==reformat\na|b=run --mode=fast\n+=more\nalt+|=pipe") == [
        "+: more", "=: reformat", "a: run --mode=fast", "alt+|: pipe", "b: run --mode=fast",
        "ctrl++: bigger", "ctrl+=: zoom-out",
    ]


def test_bar_as_a_key():
    assert lines("| = pipe\nctrl+| | shift+bar | x = filter 'a | b'\nalt+= | alt++ | alt+- = zoom a=b") == [
        'alt++: zoom a=b', 'alt+-: zoom a=b', 'alt+=: zoom a=b', "ctrl+|: filter 'a | b'",
        "shift+|: filter 'a | b'", "x: filter 'a | b'", '|: pipe',
    ]


def test_sequences_of_signs():
    sequences, command = parse_line("= equals + | ctrl+= g bar = do = it")
    assert ([[str(chord) for chord in sequence] for sequence in sequences], str(command)) == (
        [["=", "=", "+"], ["ctrl+=", "g", "|"]], "do = it",
    )


def test_problems_with_separators():
    assert lines("ctrl+s | = save\nctrl+=\na || b = x\n| =\ng | h") == [
        "a: x", "| b: x", "line 1: no = in the line", "line 2: no = in the line",
        "line 4: a command is missing", "line 5: no = in the line",
    ]


def test_pressing_signs():
    keymaps, _ = load("ctrl+==out\n= = same\nctrl+x = = mean\nctrl+y equals=end --with='= ='\n[calc]\n==sum\n+|-=sign")
    typed = "ctrl+= = ctrl+x ctrl+y = + -"
    assert (Keyboard(keymaps).type(typed), Keyboard(keymaps, "calc").type(typed)) == (
        ['out', 'same', '= mean', "end '--with== ='"],
        ['out', 'sum', '= mean', "end '--with== ='", 'sign', 'sign'],
    )
