from manual import Page, render
from manual.book import Book

START = "# Device\n\n`x` or `A`2, see \\*.\n\n## Registers\n\n"


def first_paragraph(html):
    return html.split("<p>")[1].split("</p>")[0]


def test_blocks():
    html = render("# A & B\n\n> q\n> *r*\n\n1. one\n2. two\n   - x\n   - y\n\n---\n```py\n`a` < *b*\n```\n")
    assert html == (
        '<h1 id="a-b">A &amp; B</h1>\n<blockquote>\n<p>q\n<em>r</em></p>\n</blockquote>\n<ol>\n<li>one</li>\n'
        "<li>\n<p>two</p>\n<ul>\n<li>x</li>\n<li>y</li>\n</ul>\n</li>\n</ol>\n<hr>\n"
        '<pre class="py">`a` &lt; *b*\n</pre>\n'
    )


def test_inline():
    assert render('**a** _b_c_ ~~d~~ ``x ` <y>`` \\*e\\* [t](u_v_w "T\\"") [R] ![i](p.png)\n\n[r]: http://r/') == (
        '<p><strong>a</strong> <em>b_c</em> <del>d</del> <code>x ` &lt;y&gt;</code> *e* [t](u_v_w "T\\"") '
        '<a href="http://r/">R</a> <img src="p.png" alt="i"></p>\n'
    )


def test_table():
    assert render("| n | v |\n|---|--:|\n| `a` | 1 \\| 2 |\n") == (
        '<table>\n<tr><th>n</th><th align="right">v</th></tr>\n'
        '<tr><td><code>a</code></td><td align="right">1 | 2</td></tr>\n</table>\n'
    )


def test_section_at_the_end():
    page = Page(START + "".join(f"- `r{number}`\n" for number in range(16)))
    assert first_paragraph(page.html) == "<code>x</code> or <code>A</code>2, see *."
    assert page.contents() == '<a href="#device">Device</a>\n  <a href="#registers">Registers</a>'


def test_book():
    book = Book({"one": "# One\n`a` [x](two#next)", "two": "Two\n\n## Next\n`a` `<b>` [y](#nope)"})
    assert book.contents() == ["one: One", "two: Next"]
    assert book.code_index() == {"<b>": ["two"], "a": ["one", "two"]}
    assert book.broken_links() == [("two", "#nope")]
