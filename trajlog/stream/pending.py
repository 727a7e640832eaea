"""What a transaction collects before its block is left; the same for both engines."""

from collections.abc import Mapping, Sequence

from trajlog.errors import LogError
from trajlog.schemas.record import NewRecord
from trajlog.stream.log import Log, TopicPartition, check_size


class PendingTransaction:
    """A `Transaction` in memory. A missing topic or a record too large is refused when it is added."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self.batches: list[tuple[str, list[NewRecord]]] = []
        self.offsets: dict[str, dict[TopicPartition, int]] = {}

    def append(self, topic: str, records: Sequence[NewRecord]) -> None:
        self._log.num_partitions(topic)
        check_size(topic, records)
        self.batches.append((topic, list(records)))

    def commit_offsets(self, group: str, offsets: Mapping[TopicPartition, int]) -> None:
        self.offsets.setdefault(group, {}).update(offsets)

    def __bool__(self) -> bool:
        return bool(self.batches or self.offsets)

    def check_group(self, group: str) -> None:
        """Raise LogError when offsets of another group than the guarding reader's are to be committed."""
        for other in self.offsets.keys() - {group}:
            raise LogError(f"the reader is of group {group}; it cannot commit offsets for group {other}")
