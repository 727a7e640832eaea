from hypothesis import given
from hypothesis import strategies as st

from trajlog.harness.output import BoundedOutput, bounded_text

pieces = st.lists(st.binary(max_size=40), max_size=20)


@given(pieces, st.integers(2, 60))
def test_what_fits_is_kept_and_what_does_not_is_counted(written, limit):
    output = BoundedOutput(limit)
    for piece in written:
        output.write(piece)
    whole = b"".join(written)
    assert output.total_bytes == len(whole)
    if len(whole) <= limit:
        assert output.text() == whole.decode("utf-8", errors="replace")
        assert output.truncated_bytes == 0
    else:
        # Up to three bytes at each edge go with a character that the cut split.
        assert len(whole) - limit <= output.truncated_bytes <= len(whole) - limit + 6
        assert f"[... {output.truncated_bytes} bytes cut ...]" in output.text()
    assert len(output._head) + len(output._tail) <= 2 * limit + 1


@given(st.text(max_size=80), st.integers(1, 7))
def test_a_character_split_over_two_writes_is_whole(text, size):
    text = text.encode("utf-8", errors="replace").decode()
    data = text.encode()
    output = BoundedOutput(1000)
    for start in range(0, len(data), size):
        output.write(data[start : start + size])
    assert output.text() == text


@given(st.text(alphabet="aé€😀", min_size=20, max_size=60), st.integers(2, 19))
def test_a_cut_leaves_no_broken_character(text, limit):
    shown, cut = bounded_text(text, limit)
    assert "\ufffd" not in shown
    head, tail = shown.split(f"\n[... {cut} bytes cut ...]\n")
    assert text.startswith(head)
    assert text.endswith(tail)


@given(st.text(max_size=80), st.lists(st.integers(1, 9), min_size=1, max_size=20))
def test_pieces_taken_one_after_the_other_are_the_whole(text, sizes):
    data = text.encode("utf-8", errors="replace")
    output = BoundedOutput(1000)
    taken = []
    for size in sizes:
        output.write(data[:size])
        data = data[size:]
        taken.append(output.take())
    output.write(data)
    assert "".join(taken) + output.text() == text.encode("utf-8", errors="replace").decode()


def test_what_is_taken_says_what_was_cut_and_the_next_begins_empty():
    output = BoundedOutput(8)
    output.write("abcdefghijklé".encode()[:-1])
    assert output.take() == "abcd\n[... 5 bytes cut ...]\njkl"  # the first byte of é waits
    output.write("é".encode()[1:])
    assert output.take() == "é"
    assert output.take() == ""
    output.write(b"\xff")
    assert output.take() == "\ufffd"


def test_bytes_that_are_no_text_are_replaced_and_counted_as_kept():
    output = BoundedOutput(100)
    output.write(b"ok \xff\xfe end")
    assert output.text() == "ok \ufffd\ufffd end"
    assert output.truncated_bytes == 0
