import pytest
from httphead.headers import HeadError
from httphead.message import parse_request
from httphead.stream import RequestStream


def make(*lines, body=b""):
    head = ["POST /notes HTTP/1.1", f"Content-Length: {len(body)}", *lines]
    return "\r\n".join(head).encode("utf-8") + b"\r\n\r\n" + body


def test_request():
    data = make('Content-Type: Text/Plain; charset="latin-1"', "Accept-Language: de;q=0.5, en, fr;q=0", body=b"caf\xe9")
    request, rest = parse_request(data + b"GET")
    assert (request.method, request.target, request.text(), rest) == ("POST", "/notes", "caf\u00e9", b"GET")
    assert (request.content_type[0], request.languages()) == ("text/plain", ["en", "de"])


def test_folded_and_repeated():
    request, _ = parse_request(make("X-A: one", "\ttwo  ", "x-a: three", "X-B:"))
    assert (request.headers.get("X-A"), request.headers.get("x-b")) == ("one two, three", "")


def test_stream_in_pieces():
    stream = RequestStream()
    data = make("X-User: \u00c4rla Berg", body=b"1") + make("X-User: Kim", body=b"22") + make()
    requests = [request for start in range(0, len(data), 9) for request in stream.feed(data[start:start + 9])]
    assert ([request.body for request in requests], stream.num_pending) == ([b"1", b"22", b""], 0)
    assert stream.by_user == {"\u00c4rla Berg": 1, "Kim": 1, "nobody": 1}


def test_name_with_a_ring():
    request, _ = parse_request(make("X-User: \u00c5sa Berg", "X-Next: 1"))
    assert (request.headers.text("X-User"), len(request.headers)) == ("\u00c5sa Berg", 3)


def test_mistake():
    with pytest.raises(HeadError, match="line 3: no colon in 'oops'"):
        parse_request(make("oops"))
