import pytest
from chessrec.move import RecordError, parse_move
from chessrec.words import HEAD, MAGIC, from_word, pack_game, to_word, unpack_game


def test_all_promotions_with_and_without_check():
    names = [f"c7c8{piece}{mark}" for piece in ("", "n", "b", "r", "q") for mark in ("", "+")]
    assert [str(from_word(to_word(parse_move(name)))) for name in names] == [
        "c7c8", "c7c8+", "c7c8n", "c7c8n+", "c7c8b", "c7c8b+", "c7c8r", "c7c8r+", "c7c8q", "c7c8q+"
    ]


def test_words_are_stable():
    assert [to_word(parse_move(name)) for name in ("a1h8", "h7h8q", "h7g8r+")] == [4032, 20471, 49079]


def test_bad_words_are_refused():
    refused = []
    for code in (5, 6, 7):
        blob = HEAD.pack(MAGIC, 1, 0) + (0x0FFF | code << 12).to_bytes(2, "little")
        with pytest.raises(RecordError) as caught:
            unpack_game(blob)
        refused.append(str(caught.value))
    assert refused == [
        "word 0x5fff has promotion code 5",
        "word 0x6fff has promotion code 6",
        "word 0x7fff has promotion code 7",
    ]


def test_game_with_queens_and_comment():
    moves, note = unpack_game(pack_game([parse_move("b2a1q"), parse_move("g7g8q+")], "double"))
    assert (list(map(str, moves)), note) == (["b2a1q", "g7g8q+"], "double")
