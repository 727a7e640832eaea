"""Radio dispatch for crews."""

from dispatch.board import Board
from dispatch.calls import Call, CallQueue, QueueClosed
from dispatch.crew import Crew, run_shift
from dispatch.messages import MessageError, parse_call, read_back

__all__ = [
    "Board", "Call", "CallQueue", "Crew", "MessageError", "QueueClosed", "parse_call", "read_back", "run_shift",
]
