import pytest
from httphead.headers import HeadError
from httphead.message import parse_request
from httphead.stream import RequestStream


def pairs(data):
    return list(parse_request(data)[0].headers)


def test_only_line_feeds():
    data = b"GET / HTTP/1.1\nX-User: \xc3\x85sa\nB:  2 \n more\n\nrest"
    request, rest = parse_request(data)
    assert (request.version, list(request.headers), request.headers.text("X-User"), rest) == (
        "HTTP/1.1", [("X-User", "\u00c3\u0085sa"), ("B", "2 more")], "\u00c5sa", b"rest"
    )


def test_mixed_line_ends():
    assert pairs(b"GET / HTTP/1.1\r\nA: 1\nB: 2\r\nC: 3\n\td\r\n\n") == [("A", "1"), ("B", "2"), ("C", "3 d")]


def test_bytes_that_are_no_line_end():
    data = b"GET / HTTP/1.1\r\nA: 1\x0cB: 2\r\nC: x\x0by\x1cz\x1d\x1e: q\r\nD: \x85\xa0\r\nE: a\rF: b\r\n\r\n"
    assert pairs(data) == [
        ("A", "1\x0cB: 2"), ("C", "x\x0by\x1cz\x1d\x1e: q"), ("D", "\u0085\u00a0"), ("E", "a\rF: b")
    ]


def test_texts():
    data = b"GET / HTTP/1.1\nA: \xc3\x85\nB: \x85\nC: \xe2\x80\xa8.\nD: na\xefve\nE: voil\xc3\xa0\n\n"
    headers = parse_request(data)[0].headers
    assert [headers.text(name) for name in "ABCDE"] == ["\u00c5", "\u0085", "\u2028.", "na\u00efve", "voil\u00e0"]


def test_lines_are_counted_right():
    found = []
    for data in (b"GET / HTTP/1.1\nA: \xc3\x85\nbad\n\n", b"GET / HTTP/1.1\r\nA: \x0c\x0b\r\nB: \x85\r\nb d: 1\r\n\r\n",
                 b"GET / HTTP/1.1\n x: 1\n\n", b"GET /\x85 HTTP\n\n"):
        with pytest.raises(HeadError) as caught:
            parse_request(data)
        found.append(caught.value.line)
    assert found == [3, 4, 2, 1]


def test_users_of_a_stream():
    stream = RequestStream()
    for name in ("\u00c5sa", "\u2026", "\u0105\u0445", "\u00c5sa"):
        stream.feed(f"GET / HTTP/1.1\nX-User: {name}\n\n".encode())
    assert dict(stream.by_user) == {"\u00c5sa": 2, "\u2026": 1, "\u0105\u0445": 1}
