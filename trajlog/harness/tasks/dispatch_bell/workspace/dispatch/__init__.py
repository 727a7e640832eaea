"""Radio dispatch for crews."""

from dispatch.board import Board
from dispatch.calls import Call, CallQueue, QueueClosed
from dispatch.crew import Crew, run_shift

__all__ = ["Board", "Call", "CallQueue", "Crew", "QueueClosed", "run_shift"]
