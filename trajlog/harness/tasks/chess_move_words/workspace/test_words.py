import pytest
from chessrec.move import RecordError, parse_move
from chessrec.words import pack_game, unpack_game


def again(text, comment=""):
    moves, note = unpack_game(pack_game([parse_move(word) for word in text.split()], comment))
    return " ".join(map(str, moves)), note


def test_plain_moves():
    assert again("e2e4 e7e5 g1f3 b8c6 f1b5") == ("e2e4 e7e5 g1f3 b8c6 f1b5", "")


def test_comment_and_check():
    assert again("d1h5 e8e7 h5e5+", "schnell \u265b") == ("d1h5 e8e7 h5e5+", "schnell \u265b")


def test_promotions():
    assert again("a7b8n h7h8q") == ("a7b8n h7h8q", "")


def test_truncated_record():
    blob = pack_game([parse_move("e2e4")], "x")
    with pytest.raises(RecordError):
        unpack_game(blob[:-1])
