"""One move in one 16 bit word, lowest bits first: origin 6, target 6, promotion 3, check 1."""

import struct

from chessrec.move import PIECES, Move, RecordError

HEAD = struct.Struct("<4sHH")
MAGIC = b"CHR1"


def to_word(move):
    code = PIECES.index(move.promotion)
    return move.origin | move.target << 6 | code << 12 | move.is_check << 15


def from_word(word):
    code = word >> 12 & 0x7
    if code >= len(PIECES):
        raise RecordError(f"word {word:#06x} has promotion code {code}")
    return Move(word & 0x3F, word >> 6 & 0x3F, PIECES[code], bool(word >> 15))


def pack_game(moves, comment=""):
    note = comment.encode("utf-8")
    head = HEAD.pack(MAGIC, len(moves), len(note))
    return head + struct.pack(f"<{len(moves)}H", *map(to_word, moves)) + note


def unpack_game(blob):
    """The moves and the comment."""
    if len(blob) < HEAD.size:
        raise RecordError("record is too short")
    magic, num_moves, note_size = HEAD.unpack_from(blob)
    if magic != MAGIC or len(blob) != HEAD.size + 2 * num_moves + note_size:
        raise RecordError("not a game record")
    words = struct.unpack_from(f"<{num_moves}H", blob, HEAD.size)
    return [from_word(word) for word in words], blob[len(blob) - note_size:].decode("utf-8")
