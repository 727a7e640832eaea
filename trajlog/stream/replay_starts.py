"""Where a replay begins: what the words after `--from` mean for what is recorded now."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from trajlog.errors import ConfigError
from trajlog.stream.log import TopicPartition
from trajlog.stream.recorded import Recorded, partition_name


def starts_of(recorded: Recorded, words: Sequence[str]) -> dict[TopicPartition, int]:
    """First offset of every partition: of a time, an offset, `<topic>-<partition>=<offset>` texts, or (no words) all.

    Words may mean something else later: what is held, and what a time reaches, moves. Raises ConfigError.
    """
    offsets = named_offsets(words, recorded.spans())
    if offsets is not None:
        return offsets
    try:
        (text,) = words
        time = datetime.fromisoformat(text)
    except ValueError:
        raise ConfigError(
            f"--from {' --from '.join(words)} is neither a time (2026-11-30T12:00:00), nor an offset (1500), nor "
            f"TOPIC-PARTITION=OFFSET (demo.rollouts-0=1500)"
        ) from None
    return recorded.offsets_at(time if time.tzinfo else time.replace(tzinfo=UTC))


def named_offsets(words: Sequence[str], spans: Mapping[TopicPartition, range]) -> dict[TopicPartition, int] | None:
    """Starts from `<topic>-<partition>=<offset>` texts or one plain offset; None when they are neither.

    A plain offset is for every partition; partitions that are not named begin at their first offset held. Raises
    ConfigError when there is no such partition.

    >>> named_offsets(["t.control-0=7"], {TopicPartition("t.control", 0): range(0, 9)})
    {TopicPartition(topic='t.control', partition=0): 7}
    """
    if len(words) == 1 and words[0].isdecimal():
        return {tp: _within(int(words[0]), span) for tp, span in spans.items()}
    found = {tp: span.start for tp, span in spans.items()}
    by_name = {partition_name(tp): tp for tp in spans}
    for word in words:
        name, equals, offset = word.partition("=")
        if not equals or not offset.isdecimal():
            return None
        if name not in by_name:
            raise ConfigError(f"--from {word!r}: there is no partition {name}; there are {', '.join(sorted(by_name))}")
        found[by_name[name]] = _within(int(offset), spans[by_name[name]])
    return found


def _within(offset: int, span: range) -> int:
    return min(max(offset, span.start), span.stop)
