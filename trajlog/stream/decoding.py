"""Records to events, for every reader but the archiver (which keeps what cannot be decoded)."""

from trajlog.errors import DecodeError
from trajlog.schemas import Event, EventBatch, decode
from trajlog.schemas.columns import Columns, read_columns
from trajlog.schemas.parts import Joiner
from trajlog.stream.log import LogRecord, TopicPartition


class Decoder:
    """Records to events: joins parts; an undecodable record is skipped and counted (the archiver keeps its bytes)."""

    def __init__(self, run_id: str | None = None) -> None:
        """`run_id`: records of any other run are bad ones; None takes events of every run."""
        self._run_id = run_id
        self._joiner = Joiner()
        self.num_bad = 0
        self.last_bad: LogRecord | None = None
        self.last_error = ""

    def batch(self, record: LogRecord) -> EventBatch | None:
        """The record's events as columns; None for a part that completes no record and for a bad record."""
        try:
            value = self._whole(record)
            return None if value is None else decode(record.headers, value)
        except DecodeError as error:
            self.bad(record, error)
            return None

    def columns(self, record: LogRecord) -> EventBatch | Columns | None:
        """As `batch`, for folds that need few columns: those alone are decoded, and checked, when they are read. What
        reading them raises goes to `bad`."""
        try:
            value = self._whole(record)
            return None if value is None else read_columns(record.headers, value) or decode(record.headers, value)
        except DecodeError as error:
            self.bad(record, error)
            return None

    def _whole(self, record: LogRecord) -> bytes | None:
        partition = TopicPartition(record.topic, record.partition)
        self.num_bad += len(self._joiner.abandon(partition, record.append_time))
        value = self._joiner.add(partition, record.offset, record.append_time, record.headers, record.value)
        if value is not None and self._run_id is not None and (found := record.header("run_id")) != self._run_id:
            raise DecodeError(f"it is of run {found}, not {self._run_id}: a producer writes to another run's topics")
        return value

    def events(self, record: LogRecord) -> list[Event]:
        """The record's events; [] where `batch` gives None."""
        batch = self.batch(record)
        try:
            return [] if batch is None else batch.events()
        except DecodeError as error:
            self.bad(record, error)
            return []

    def low_water(self, tp: TopicPartition) -> int | None:
        """Offset of the oldest part still waiting for the rest of its record."""
        return self._joiner.low_water(tp)

    @property
    def num_bytes(self) -> int:
        """Held in parts that wait for the rest of their record."""
        return self._joiner.num_bytes

    def bad(self, record: LogRecord, error: DecodeError) -> None:
        """Count a record that cannot be read."""
        self.num_bad += 1
        self.last_bad = record
        self.last_error = f"{record.topic}-{record.partition} offset {record.offset}: {error}"
