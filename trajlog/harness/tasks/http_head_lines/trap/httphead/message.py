"""Bytes into requests."""

import re
from dataclasses import dataclass

from httphead.headers import HeadError, Headers
from httphead.params import by_quality, parse_value

HEAD_END = re.compile(rb"\r?\n\r?\n")
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
MAX_HEAD = 16_384


@dataclass
class Request:
    method: str
    target: str
    version: str
    headers: Headers
    body: bytes = b""

    @property
    def content_type(self):
        return parse_value(self.headers.get("Content-Type", "application/octet-stream"))

    def text(self):
        return self.body.decode(self.content_type[1].get("charset", "utf-8"))

    def languages(self):
        return by_quality(self.headers.get("Accept-Language"))


def _lines(head):
    return head.decode("latin-1").split("\r\n")


def _start_line(line):
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/"):
        raise HeadError(1, f"not a request: {line[:40]!r}")
    return words


def parse_headers(lines, first_line=2):
    headers = Headers()
    for number, line in enumerate(lines, first_line):
        if line.startswith((" ", "\t")):
            if not len(headers):
                raise HeadError(number, "nothing to continue")
            headers.extend_last(line.strip(" \t"))
            continue
        name, colon, value = line.partition(":")
        if not colon:
            raise HeadError(number, f"no colon in {line[:40]!r}")
        if not NAME.fullmatch(name):
            raise HeadError(number, f"bad name {name[:40]!r}")
        headers.add(name, value.strip(" \t"))
    return headers


def parse_request(data):
    """A request and the bytes behind it; None if the data is not complete."""
    end = HEAD_END.search(data)
    if end is None:
        if len(data) > MAX_HEAD:
            raise HeadError(1, "the head is too long")
        return None
    start_line, *lines = _lines(data[:end.start()])
    method, target, version = _start_line(start_line)
    headers = parse_headers(lines)
    length = headers.get("Content-Length", "0")
    if not re.fullmatch("[0-9]+", length):
        raise HeadError(1, f"bad length {length!r}")
    size = int(length)
    if len(data) < end.end() + size:
        return None
    body = data[end.end():end.end() + size]
    return Request(method, target, version, headers, body), data[end.end() + size:]
