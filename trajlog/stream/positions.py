"""The rule for a reader's position, the same in both engines."""

from trajlog.errors import LogIdentityMismatch, OffsetExpired
from trajlog.stream.log import TopicPartition


def check_position(tp: TopicPartition, position: int, begin: int, end: int, url: str) -> None:
    """Raise unless begin <= position <= end: no reader ever skips, backwards or forwards, by itself."""
    if position < begin:
        raise OffsetExpired(
            f"offset {position} of {tp.topic}/{tp.partition} in {url} was dropped by retention; the first one held "
            f"is {begin}. {begin - position} offsets are lost to this reader. Raise the retention. `trajlog archive "
            f"repair --accept-loss` writes the loss down and lets archiver, assembler and queries go on behind it; a "
            f"learner cannot: start a new run, with this one's newest adapter as learner.init_adapter."
        )
    if position > end:
        raise LogIdentityMismatch(
            f"offset {position} of {tp.topic}/{tp.partition} in {url} is beyond its end {end}: it was remembered "
            f"from another log. Point --log at the old log, or start a new run directory for this one."
        )
