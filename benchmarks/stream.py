"""The stream in numbers: append, archive, fold, seal and query, beside what others do with the same bytes.

    python benchmarks/stream.py                                     # all of it; starts a Kafka broker
    python benchmarks/stream.py --log kafka://127.0.0.1:9092        # a running broker; makes topics on it
    python benchmarks/stream.py --quick                             # under two minutes, installs nothing

Rates are events a second, the median of the rounds; in a round ours and the peers run one after another. `ratio` is
ours over the peer's, the median of the rounds' ratios. CPU is microseconds of this process an event, client threads
included, the broker not. What each includes: streaming/appends.py, reads.py, latencies.py.
Kafka's peers send or read the same bytes under the same settings (acks=all, idempotent, no compression of their own);
JSON lines and Agent Lightning get the same events. Peers that need packages of their own run in environments of their
own (streaming/peers.py).
"""

import argparse
import json
import statistics
import sys
import tempfile
import uuid
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from fold import fold_rate
from streaming import appends, latencies, peers, reads
from streaming.rollouts import SHAPES, Batch, Rollouts, shaped

from trajlog.stream.kafka_client import close_producer, producer
from trajlog.stream.open import open_log

sys.path.append(str(Path(__file__).parents[1] / "tests" / "plumbing"))
from kafka_broker import BrokerUnavailable, KafkaBroker, free_ports

PARTITIONS = 4
TITLE = 47  # characters


class Size(NamedTuple):
    """How much of everything."""

    rounds: int
    append_rollouts: int
    """Rollouts of a round of appends; a multiple of the slots."""
    read_rollouts: int
    read_rounds: int
    groups: int
    queries: int
    lightning_http_events: int


FULL = Size(5, 16, 400, 5, 200, 120, 500)
QUICK = Size(1, 1, 8, 1, 5, 5, 50)


class Table:
    """Lines printed as they come, and the figures of the last line."""

    def __init__(self) -> None:
        self.figures: dict[str, Any] = {}

    def head(self, title: str, *columns: str) -> None:
        print(f"\n{title:<{TITLE}}" + "".join(f"{column:>20}" for column in columns), flush=True)

    def row(self, title: str, *cells: str) -> None:
        print(f"{title:<{TITLE}}" + "".join(f"{cell:>20}" for cell in cells), flush=True)

    def missing(self, title: str, reason: object, *names: str) -> None:
        print(f"{title:<{TITLE}}  not measured: {reason}", flush=True)
        self.figures |= dict.fromkeys(names)


def median_ratio(seconds: Mapping[str, list[float]], peer: str) -> float:
    """Ours over the peer's, as rates."""
    return statistics.median(p / o for o, p in zip(seconds["ours"], seconds[peer], strict=True))


def rate(num_events: int, seconds: list[float]) -> float:
    return num_events / statistics.median(seconds)


def suffix(shape: str) -> str:
    """Of a figure's name."""
    return "" if shape == "natural" else "_" + shape.replace(" ", "_")


def cell(num_events: int, seconds: Mapping[str, list[float]], peer: str) -> str:
    if peer not in seconds:
        return "not measured"
    return f"{rate(num_events, seconds[peer]):,.0f} ({median_ratio(seconds, peer):.2f})"


def kafka_appends(
    table: Table, url: str, episodes: list[list[Batch]], size: Size, may_install: bool
) -> dict[str, float]:
    """Rates of ours per shape."""
    hosts = url.removeprefix("kafka://").split(",")
    shapes = appends.shapes(episodes)
    found: dict[str, float] = {}
    with ExitStack() as stack:
        log = stack.enter_context(open_log(url))
        topics = {name: f"append-{name}-{uuid.uuid4().hex[:8]}" for name in ("ours", "bare", "confluent")}
        log.create_topics(dict.fromkeys(topics.values(), PARTITIONS))
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        peers.write_records(
            folder / "records", {name: appends.encoded(events) for name, events in shapes.items()}, PARTITIONS
        )
        client = producer(hosts)
        stack.callback(close_producer, client, 5)
        confluent = None
        try:
            script = ("confluent", "confluent_append.py", hosts[0], topics["confluent"], str(folder / "records"))
            confluent = stack.enter_context(peers.conversation(*script, may_install=may_install))
        except peers.NotMeasured as reason:
            table.missing("confluent-kafka", reason, "append_vs_confluent")
        columns = ("ours", "bare kafka-python", "confluent-kafka", "CPU: ours", "CPU: bare")
        table.head("append to Kafka, events/s (ratio)", *columns)
        for name, events in shapes.items():
            steps = {
                "ours": appends.ours(log, topics["ours"], events),
                "bare": appends.bare_producer(client, topics["bare"], PARTITIONS, events),
            }
            if confluent is not None:
                steps["confluent"] = lambda name=name, talk=confluent: float(talk.ask(name))
            seconds, cpu_s = appends.rounds(steps, size.rounds)
            num = appends.count(events)
            found[name] = rate(num, seconds["ours"])
            cpu = (f"{1e6 * statistics.median(cpu_s[who]) / num:,.0f}" for who in ("ours", "bare"))
            cells = (cell(num, seconds, peer) for peer in ("bare", "confluent"))
            table.row(name, f"{found[name]:,.0f}", *cells, *cpu)
            for peer, figure in (("bare", "append_vs_bare_producer"), ("confluent", "append_vs_confluent")):
                if peer in seconds:
                    table.figures.setdefault(f"{figure}_by_shape", {})[name] = median_ratio(seconds, peer)
                    if name == "natural":
                        table.figures[figure] = median_ratio(seconds, peer)
    return found


def sqlite_appends(table: Table, folder: Path, episodes: list[list[Batch]], size: Size) -> dict[str, float]:
    """SQLite beside bare sqlite3 and JSON lines. Rates of ours per shape."""
    found: dict[str, float] = {}
    shapes = appends.shapes(episodes)
    with open_log(f"sqlite:///{folder}/append.db", create=True) as log:
        log.create_topics({"append": PARTITIONS})
        table.head(
            "append to SQLite, events/s (ratio)", "ours", "bare sqlite3", "JSON lines, flush", "JSON lines, fsync"
        )
        for name in ("one event", "natural", "episode"):
            events = shapes[name]
            steps = {
                "ours": appends.ours(log, "append", events),
                "bare": appends.bare_sqlite(folder / "bare.db", events),
                "flush": appends.json_lines(folder / "flush.jsonl", events, sync=False),
                "fsync": appends.json_lines(folder / "fsync.jsonl", events, sync=True),
            }
            seconds, _ = appends.rounds(steps, size.rounds)
            num = appends.count(events)
            found[name] = rate(num, seconds["ours"])
            table.row(name, f"{found[name]:,.0f}", *(cell(num, seconds, peer) for peer in ("bare", "flush", "fsync")))
            if name == "natural":
                table.figures["vs_jsonl"] = median_ratio(seconds, "fsync")
                table.figures["vs_jsonl_flush"] = median_ratio(seconds, "flush")
                table.figures["append_vs_bare_sqlite"] = median_ratio(seconds, "bare")
    return found


def lightning(
    table: Table, folder: Path, episodes: list[list[Batch]], rates: Mapping[str, float], size: Size, may_install: bool
) -> None:
    """Agent Lightning's store: its HTTP client beside Kafka, its memory store beside SQLite."""
    path = folder / "events.jsonl"
    events = [event for episode in episodes for batch in episode for event in batch]
    path.write_bytes(b"\n".join(msgspec.json.encode(appends.as_dict(event)) for event in events))
    names = ("vs_agent_lightning", "vs_agent_lightning_in_process")
    table.head("Agent Lightning's store, events/s", "ours", "theirs (ratio)")
    try:
        if not may_install:
            raise peers.NotMeasured("left out of --quick: importing it takes 20 s")
        arguments = ("agent_lightning.py", str(free_ports(1)[0]), str(path), str(size.lightning_http_events))
        found = peers.figures("agent-lightning", *arguments, may_install=may_install, timeout_s=240)
    except peers.NotMeasured as reason:
        table.missing("Agent Lightning", reason, *names)
        return
    for title, ours, theirs, figure in (
        ("one event: Kafka, its HTTP client", "kafka one event", "http", "vs_agent_lightning"),
        ("natural: Kafka, its HTTP client", "kafka natural", "http", "vs_agent_lightning_natural"),
        ("natural: SQLite, its memory store", "sqlite natural", "in_process", "vs_agent_lightning_in_process"),
    ):
        if ours not in rates:
            table.missing(title, "no broker", figure)
            continue
        table.figures[figure] = rates[ours] / found[theirs]
        table.row(title, f"{rates[ours]:,.0f}", f"{found[theirs]:,.0f} ({table.figures[figure]:.2f})")


def kafka_reads(table: Table, url: str, folder: Path, size: Size) -> None:
    table.head("Kafka to the archive, events/s", "archiver", "bare reader (ratio)")
    for shape in SHAPES:
        config = reads.run_config(f"read-{uuid.uuid4().hex[:8]}", PARTITIONS)
        topic, num_events = config.topic("rollouts"), 0
        seconds: dict[str, list[float]] = {"ours": [], "bare": []}
        with open_log(url) as log:
            log.create_topics(config.topics())
            for episode in Rollouts(3).episodes(size.read_rollouts):
                log.append(topic, [record for batch in shaped(episode, shape) for record in appends.encode(batch)])
                num_events += sum(map(len, episode))
            for number in range(size.read_rounds):
                # Committed offsets of a group do not count where the table has none, so each round starts anew.
                run_dir = folder / f"{config.log.prefix}-{number}"
                seconds["ours"].append(reads.archive_seconds(log, config, run_dir))
                seconds["bare"].append(reads.bare_read_seconds(log, url.removeprefix("kafka://").split(","), topic))
        ours = f"{rate(num_events, seconds['ours']):,.0f}"
        table.row(f"{num_events:,} events, {shape}", ours, cell(num_events, seconds, "bare"))
        table.figures["archiver_vs_bare_reader" + suffix(shape)] = median_ratio(seconds, "bare")


def encoding(table: Table, episodes: list[list[Batch]]) -> None:
    found = appends.encode_rates(episodes)
    ratio = found["ours"] / found["pyarrow"]
    table.head("encode on one core, events/s", "ours", "pyarrow (ratio)", "microseconds: ours")
    table.row(
        "natural", f"{found['ours']:,.0f}", f"{found['pyarrow']:,.0f} ({ratio:.1f})", f"{1e6 / found['ours']:.0f}"
    )
    table.figures |= {"encode_events_per_s": found["ours"], "encode_vs_pyarrow": ratio}


def fold(table: Table, size: Size) -> None:
    episodes = list(Rollouts(4).episodes(max(8, size.append_rollouts)))
    natural = [r for episode in episodes for batch in episode for r in appends.encode(batch)]
    single = [r for episode in episodes for batch in episode for event in batch for r in appends.encode([event])]
    found = {"natural": fold_rate(natural), "one event": fold_rate(single)}
    table.head("fold on one core, events/s", *found)
    table.row("decode and fold", *(f"{value:,.0f}" for value in found.values()))
    table.figures |= {"fold_events_per_s": found["natural"], "fold_events_per_s_one_event": found["one event"]}


def latency(table: Table, engine: str, url: str, folder: Path, size: Size, shape: str) -> None:
    prefix = f"latency-{uuid.uuid4().hex[:8]}"
    found = {
        "seal": latencies.seal_latencies(url, f"{prefix}-seal", size.groups, shape),
        "sql": latencies.sql_latencies(url, f"{prefix}-sql", folder / f"run-{prefix}", size.queries, shape),
    }
    for name, title, unit, scale in (
        ("seal", "last episode to sealed group", "ms", 1000.0),
        ("sql", "append to visible in SQL", "s", 1.0),
    ):
        p50, p99 = (scale * latencies.percentile(found[name], share) for share in (0.5, 0.99))
        table.row(f"{title}, {engine}, {shape}", f"{p50:.3g} {unit}", f"{p99:.3g} {unit}", str(len(found[name])))
        key = "seal_{}_ms" if name == "seal" else "sql_visible_{}_s"
        end = suffix(shape) if engine == "Kafka" else "_sqlite" + suffix(shape)
        table.figures |= {key.format("p50") + end: p50, key.format("p99") + end: p99}


@contextmanager
def broker(given: str | None) -> Iterator[str]:
    """A broker's URL. Raises BrokerUnavailable."""
    if given is not None:
        yield given
        return
    with KafkaBroker() as own:
        yield own.url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", help="kafka://host:port of a running broker; without it one is started")
    parser.add_argument("--quick", action="store_true", help="little of everything, and no environment is made")
    arguments = parser.parse_args()
    size, may_install = (QUICK, False) if arguments.quick else (FULL, True)
    table = Table()
    episodes = list(Rollouts().episodes(size.append_rollouts))
    with tempfile.TemporaryDirectory() as name, ExitStack() as stack:
        folder = Path(name)
        try:
            url = stack.enter_context(broker(arguments.log))
        except BrokerUnavailable as reason:
            url = None
            measured = ("append_vs_bare_producer", "archiver_vs_bare_reader", "seal_p99_ms", "sql_visible_p99_s")
            table.missing("Kafka", reason, *measured)
        encoding(table, episodes)
        rates: dict[str, float] = {}
        if url is not None:
            found = kafka_appends(table, url, episodes, size, may_install)
            rates |= {f"kafka {shape}": value for shape, value in found.items()}
        found = sqlite_appends(table, folder, episodes, size)
        rates |= {f"sqlite {shape}": value for shape, value in found.items()}
        lightning(table, folder, episodes, rates, size, may_install)
        if url is not None:
            kafka_reads(table, url, folder, size)
        fold(table, size)
        table.head("latency", "p50", "p99", "measured")
        for shape in SHAPES if url is not None else ():
            latency(table, "Kafka", url, folder, size, shape)
        if not arguments.quick:
            latency(table, "SQLite", f"sqlite:///{folder}/latency.db", folder, size, "natural")
    print(json.dumps(table.figures))


if __name__ == "__main__":
    main()
