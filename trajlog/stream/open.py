"""Open a log by URL: `sqlite:///runs/demo/log.db` (four slashes for an absolute path) or `kafka://host:9092`.

A URL says where, never who: it is shown by `ps` and in messages. Logins: docs/security.md.
"""

from pathlib import Path

from trajlog.errors import ConfigError
from trajlog.stream.log import Log
from trajlog.stream.sqlite import SqliteLog


def open_log(url: str, create: bool = False) -> Log:
    """Open the log at `url`; `create` makes a SQLite file (and its folder) that is not there yet.

    Raises ConfigError for a URL that is none of ours or a SQLite file that is missing, LogUnavailable when the
    file or the brokers cannot be reached. On Kafka `create` changes nothing: create_topics makes what a run needs.
    """
    scheme, separator, rest = url.partition("://")
    if "@" in rest and scheme != "sqlite":
        raise ConfigError(
            "the log URL holds a login (something before an @), which others on this machine can see. Give host and "
            "port alone, and the login as TRAJLOG_KAFKA_USERNAME and TRAJLOG_KAFKA_PASSWORD (docs/security.md)."
        )
    if scheme == "sqlite" and separator and rest.startswith("/") and len(rest) > 1:
        return SqliteLog(url, Path(rest[1:]), create)
    hosts = rest.removesuffix("/").split(",")
    if scheme == "kafka" and separator and all(hosts) and not any("/" in host for host in hosts):
        from trajlog.stream.kafka import KafkaLog  # the client costs 0.2 s to import

        return KafkaLog(url, hosts)
    raise ConfigError(
        f"not a log URL: {url!r}. Use sqlite:///runs/demo/log.db (relative to the working directory; four slashes "
        f"for an absolute path) or kafka://host:9092[,host2:9092]."
    )
