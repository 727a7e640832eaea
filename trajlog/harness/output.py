"""Bounded text: what a program prints is kept as a head and a tail of bytes, however much it prints."""

from __future__ import annotations


class BoundedOutput:
    """Keeps the first and the last `limit_bytes / 2` bytes written to it; memory never exceeds 1.5 x the limit.

    >>> out = BoundedOutput(8)
    >>> out.write(b"abcdefghijkl")
    >>> out.text()
    'abcd\\n[... 4 bytes cut ...]\\nijkl'
    """

    def __init__(self, limit_bytes: int) -> None:
        if limit_bytes < 2:
            raise ValueError(f"limit_bytes is {limit_bytes}; it must be at least 2")
        self._head_limit = limit_bytes // 2
        self._tail_limit = limit_bytes - self._head_limit
        self._head = bytearray()
        self._tail = bytearray()
        self.total_bytes = 0

    def write(self, data: bytes) -> None:
        self.total_bytes += len(data)
        room = self._head_limit - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if len(data) >= self._tail_limit:
            self._tail = bytearray(data[-self._tail_limit :])
        elif data:
            self._tail += data
            if len(self._tail) > 2 * self._tail_limit:
                del self._tail[: -self._tail_limit]

    def take(self) -> str:
        """The text so far; begin anew. A character whose last bytes have not been written yet waits for them."""
        last = bytes((self._head[-4:] + self._tail)[-4:])
        waiting = last[len(_drop_partial_end(last)) :]
        for _ in waiting:
            (self._tail or self._head).pop()
        self.total_bytes -= len(waiting)
        text = self.text()
        self._head.clear()
        self._tail.clear()
        self.total_bytes = 0
        self.write(waiting)
        return text

    @property
    def truncated_bytes(self) -> int:
        """How many of the bytes written are not in `text()`; 0 if nothing was cut."""
        return self._render()[1]

    def text(self) -> str:
        """Head and tail as text; bytes that are not UTF-8 become U+FFFD, and a cut says how much it cut."""
        return self._render()[0]

    def _render(self) -> tuple[str, int]:
        tail = bytes(self._tail[-self._tail_limit :])
        if self.total_bytes <= len(self._head) + len(tail):
            return (bytes(self._head) + tail).decode("utf-8", errors="replace"), 0
        head = _drop_partial_end(bytes(self._head))
        tail = _drop_partial_start(tail)
        cut = self.total_bytes - len(head) - len(tail)
        shown_head = head.decode("utf-8", errors="replace")
        shown_tail = tail.decode("utf-8", errors="replace")
        return f"{shown_head}\n[... {cut} bytes cut ...]\n{shown_tail}", cut


def bounded_text(text: str, limit_bytes: int) -> tuple[str, int]:
    """`text` cut to about `limit_bytes` of UTF-8 (head and tail kept), and the number of bytes cut."""
    output = BoundedOutput(limit_bytes)
    output.write(text.encode("utf-8", errors="replace"))
    return output.text(), output.truncated_bytes


def _drop_partial_end(data: bytes) -> bytes:
    """Without a character that the cut split: at most three bytes fewer."""
    for back in range(1, min(4, len(data)) + 1):
        byte = data[-back]
        if byte & 0xC0 == 0x80:
            continue
        wanted = 1 if byte > 0xF4 else 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return data[:-back] if wanted > back else data
    return data


def _drop_partial_start(data: bytes) -> bytes:
    """Without the continuation bytes of a character that the cut split: at most three bytes fewer."""
    for start in range(min(4, len(data))):
        if data[start] & 0xC0 != 0x80:
            return data[start:]
    return data if len(data) > 3 else b""
