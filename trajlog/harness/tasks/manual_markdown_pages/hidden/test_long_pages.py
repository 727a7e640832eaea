from manual import Page, render


def test_every_digit_behind_a_code():
    line = " ".join(f"`a{number}`{number % 10}" for number in range(40))
    html = render(line)
    wrong = [number for number in range(40) if f"<code>a{number}</code>{number % 10}" not in html]
    assert (wrong, html[:62]) == ([], "<p><code>a0</code>0 <code>a1</code>1 <code>a2</code>2 <code>a3")


def test_hundreds_of_codes():
    source = "".join(f"- `r{number}`{number * 7}\n" for number in range(1200))
    lines = render(source).split("\n")
    assert [lines[number + 1] for number in (0, 1, 10, 11, 99, 100, 101, 1199)] == [
        "<li><code>r0</code>0</li>", "<li><code>r1</code>7</li>", "<li><code>r10</code>70</li>",
        "<li><code>r11</code>77</li>", "<li><code>r99</code>693</li>", "<li><code>r100</code>700</li>",
        "<li><code>r101</code>707</li>", "<li><code>r1199</code>8393</li>",
    ]


def test_number_between_two_codes():
    assert render("`a`1`b`0`c`2`d`") == (
        "<p><code>a</code>1<code>b</code>0<code>c</code>2<code>d</code></p>\n"
    )
    html = render("`a`1`b`\n\n" + "`z`3`y` " * 30)
    assert html.split("\n")[0] == "<p><code>a</code>1<code>b</code></p>"


def test_escapes_and_links_before_digits():
    source = "\\*1 \\_0 [5 `k`](u)7 <http://h/>1 [r]0 ![2](p)4\n\n[r]: v\n\n" + "`e` " * 60
    assert render(source).split("\n")[0] == (
        '<p>*1 _0 <a href="u">5 <code>k</code></a>7 <a href="http://h/">http://h/</a>1 <a href="v">r</a>0 '
        '<img src="p" alt="2">4</p>'
    )


def test_headings_and_contents():
    source = "# Port `P`1\n\n## `Q`0 and \\#2\n\n" + "".join(f"`s{number}`\n" for number in range(30))
    page = Page(source)
    assert page.contents() == (
        '<a href="#port-p1">Port <code>P</code>1</a>\n  <a href="#q0-and-2"><code>Q</code>0 and #2</a>'
    )
    assert page.html.split("\n")[:2] == [
        '<h1 id="port-p1">Port <code>P</code>1</h1>', '<h2 id="q0-and-2"><code>Q</code>0 and #2</h2>'
    ]


def test_pieces_in_pieces():
    source = "```\n`code` 1\n```\n[a](u \"t \\*1\") ![`i`2](p)3\n\n" + "`x`5 " * 25
    assert render(source).split("\n")[:3] == [
        "<pre>`code` 1", "</pre>", '<p><a href="u" title="t *1">a</a> <img src="p" alt="<code>i</code>2">3</p>'
    ]
