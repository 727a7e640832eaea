"""The archive as a DuckDB relation: the Parquet files of one table version, and rows that are not in it yet.

DuckDB reads the files natively (no extension). Every column of archive_schema() is there with its type even when no
file has it: the archive may be empty, or its first files older than a column.
"""

import duckdb
import pyarrow as pa

from trajlog.stream.archive_rows import archive_schema


def create_events_view(
    con: duckdb.DuckDBPyConnection, name: str, files: list[str], tail: pa.Table | None = None
) -> None:
    """Make the view `name` over `files` (Archive.files) and `tail` (rows of archive_rows.to_table).

    `files` and `tail` must not overlap: nothing is de-duplicated here.
    """
    con.register(f"{name}_tail", archive_schema().empty_table() if tail is None else tail)
    sources = [f"SELECT * FROM {name}_tail"]
    if files:
        listed = ", ".join("'" + file.replace("'", "''") + "'" for file in files)
        sources.append(
            f"SELECT * FROM read_parquet([{listed}], union_by_name = true, hive_partitioning = true, "
            f"hive_types = {{'date': DATE}})"
        )
    con.execute(f"CREATE TEMP VIEW {name} AS {' UNION ALL BY NAME '.join(sources)}")
