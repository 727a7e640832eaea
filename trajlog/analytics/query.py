"""SQL over a run: DuckDB views on one version of the archive plus the live tail of the log.

The files of a table version cover every partition up to its txn; the tail is the log from txn + 1 to its present end.
So no row is seen twice or missed, whatever the archiver does meanwhile. Views are the files of `views/`, one each; the
raw rows are in `events`.
"""

from importlib.resources import files
from pathlib import Path
from typing import Literal

import duckdb

from trajlog.analytics.render import render
from trajlog.errors import ArchiveError, ConfigError
from trajlog.stream.archive import Archive
from trajlog.stream.archive_read import create_events_view, live_tail
from trajlog.stream.archiver import archive_location
from trajlog.stream.log import Log, TopicPartition

VIEWS = (
    "control_events",
    "generations",
    "tool_calls",
    "observations",
    "turns",
    "verdicts",
    "train_steps",
    "policies",
    "episodes",
    "groups",
    "dead_letters",
    "tool_usage",
    "arms",
)
"""In order of creation: a view may use those before it."""


def connect(run_dir: Path, log: Log | None = None) -> duckdb.DuckDBPyConnection:
    """A DuckDB connection with `events` and all views, as of now. Close it.

    With `log`, records that are not archived yet are part of it; a run that has no archive yet is only its log.
    Raises ArchiveError when there is neither archive nor log, LogIdentityMismatch when they do not belong together,
    OffsetExpired when retention passed records that were not archived.
    """
    location = archive_location(run_dir)
    archive = Archive(location) if log is None or Archive.exists(location) else None
    if archive is not None and log is not None:
        archive.check_log(log, archive.topics)
    tail = None
    if log is not None:
        topics = archive.topics if archive is not None else _topics(log)

        def covered(tp: TopicPartition) -> int | None:
            return None if archive is None else archive.covered(tp)

        tail = live_tail(log, topics, covered)
    con = duckdb.connect()
    try:
        con.execute("SET TimeZone = 'UTC'")
        create_events_view(con, "events", [] if archive is None else archive.source(), tail)
        define_views(con)
    except duckdb.Error as error:
        con.close()
        raise ArchiveError(
            f"the files of {location} cannot be queried: {error}. Check them with `trajlog archive verify`."
        ) from error
    return con


def define_views(con: duckdb.DuckDBPyConnection) -> None:
    """Make all VIEWS over a view or table `events` with the columns of archive_schema()."""
    for name in VIEWS:
        con.execute(f"CREATE TEMP VIEW {name} AS\n{view_sql(name)}")


def view_sql(name: str) -> str:
    """The SELECT of a view."""
    return files("trajlog.analytics").joinpath("views", f"{name}.sql").read_text(encoding="utf-8")


def _topics(log: Log) -> list[str]:
    """Topics of the log's only run."""
    prefixes = sorted(topic.removesuffix(".control") for topic in log.topics() if topic.endswith(".control"))
    if len(prefixes) != 1:
        found = ", ".join(prefixes) or "none"
        raise ConfigError(
            f"there is no archive yet, and {log.url} has not exactly one run (found: {found}). "
            f"Start an archiver for the run to ask about, or name another run directory."
        )
    return [f"{prefixes[0]}.{name}" for name in ("rollouts", "groups", "control")]


def run_sql(
    con: duckdb.DuckDBPyConnection, sql: str, fmt: Literal["table", "json", "csv"] = "table", width: int | None = None
) -> str:
    """Run one query and render its rows: `table` for people, `json` (an array of objects) and `csv` for machines.

    Raises ArchiveError with DuckDB's message and the views that there are.
    """
    try:
        if not con.extract_statements(sql):
            raise ArchiveError("the query is empty; try: SELECT outcome, count(*) FROM episodes GROUP BY 1")
        cursor = con.execute(sql)
        columns = [column[0] for column in cursor.description or []]
        rows = cursor.fetchall() if columns else []
    except duckdb.Error as error:
        raise ArchiveError(
            f"the query failed: {error}\nThere are the views events, {', '.join(VIEWS)}; "
            f"`DESCRIBE episodes` lists the columns of one."
        ) from error
    return render(columns, rows, fmt, width)
