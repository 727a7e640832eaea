"""What scale costs: 10 to 10,000 concurrent episodes of simulated workers against the real log, assembler and archiver.

    python benchmarks/scale.py                  # SQLite and Kafka; starts a broker of its own (Java), under 15 minutes
    python benchmarks/scale.py --quick          # 10 and 100 episodes on SQLite
    python benchmarks/scale.py --log kafka://127.0.0.1:9092 --plot docs/scale.svg --doc docs/scale.md

Real: the log, assemblers and archivers in processes of their own, the events and their encoding, SQL, the scheduling
core. Simulated: the workers (simulated/fleet.py says how), and the scheduler's surroundings (simulated/slots.py). Costs
are seconds of CPU, user and system, by process; so they hold on a busy machine, which the times do not.
"""

import argparse
import json
import sys
import tempfile
import warnings
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from simulated import slots, write_lock
from simulated.arithmetic import needs, per_core
from simulated.episodes import SIZES, encoding_cost
from simulated.levels import Level, running

ROOT = Path(__file__).parents[1]
RATE = 1500.0
"""Events/s that the levels are held at: 1,000 rollouts a minute of 90 events."""
OPEN = (10, 100, 1_000, 10_000)
REAL = SIZES["real"].num_events

ROWS = (
    ("events/s", "events_per_s", ",.0f"),
    ("append, ms", "append_ms", ".1f"),
    ("producer, us/event", "producer_us", ".0f"),
    ("broker, us/event", "broker_us", ".0f"),
    ("assembler, us/event", "assembler_us", ".0f"),
    ("archiver, us/event", "archiver_us", ".0f"),
    ("assembler, kB/open episode", "kb_per_open", ".1f"),
    ("most behind, records", "lag_records", ",.0f"),
    ("... until caught up, s", "caught_up_s", ".1f"),
    ("most unarchived, records", "archive_lag_records", ",.0f"),
    ("restart: records read again", "recovery_records", ",.0f"),
    ("... has its partitions, s", "recovery_placed_s", ".1f"),
    ("... decides again, s", "recovery_s", ".1f"),
    ("archive, rows", "archive_rows", ",.0f"),
    ("SQL: events by kind, ms", "sql_kinds_ms", ",.0f"),
    ("SQL: episodes, ms", "sql_outcomes_ms", ",.0f"),
    ("SQL: verdicts, ms", "sql_verdicts_ms", ",.0f"),
)
SLOT_ROWS = (
    ("all slots filled, s", "fill_s", ".2f"),
    ("decide, us/assignment, one at a time", "decide_us_one", ".0f"),
    ("decide, us/assignment, many at a time", "decide_us_many", ".0f"),
    ("heartbeat, us", "heartbeat_us", ".0f"),
    ("heartbeat, bytes", "heartbeat_bytes", ",.0f"),
    ("event of .control, us", "control_event_us", ".0f"),
)


MARKS = ("<!-- figures of benchmarks/scale.py --doc -->\n", "<!-- end of figures -->\n")
printed: list[str] = []
"""Lines of all tables, as they go into the document."""


def show(title: str, columns: Mapping[str, Mapping[str, float]], rows: Sequence[tuple[str, str, str]]) -> None:
    lines = ["", f"{title:<42}" + "".join(f"{name:>13}" for name in columns)]
    for label, key, form in rows:
        cells = [format(column[key], form) if key in column else "-" for column in columns.values()]
        if set(cells) != {"-"}:
            lines.append(f"{label:<42}" + "".join(f"{cell:>13}" for cell in cells))
    print("\n".join(lines), flush=True)
    printed.extend(lines)


def write_figures(path: Path) -> None:
    """Replace what stands between MARKS by the tables."""
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(MARKS[0])
    tables = "\n".join(printed[1:])
    path.write_text(
        f"{before}{MARKS[0]}\n```\n{tables}\n```\n\n{MARKS[1]}{rest.partition(MARKS[1])[2]}", encoding="utf-8"
    )


def measured(
    levels: Mapping[str, Level], url: str, folder: Path, broker_pid: int | None
) -> dict[str, dict[str, float]]:
    found = {}
    for name, level in levels.items():
        print(f"{'Kafka' if url else 'SQLite'}, {name}: {level}", file=sys.stderr, flush=True)
        where = url or f"sqlite:///{folder}/{name.replace(' ', '-').replace(',', '')}.db"
        with running(level, where, folder, broker_pid) as one:
            found[name] = one.figures()
        found[name]["kb_per_open"] = found[name]["bytes_per_open"] / 1000
        if level.num_open < 1000:
            del found[name]["kb_per_open"]  # less than the noise of a process's memory
    return found


def sqlite_levels(quick: bool) -> dict[str, Level]:
    if quick:
        return {str(n): Level(n, events_per_s=400.0, seconds=2.0, recovery=n == 100) for n in OPEN[:2]}
    levels = {f"{n:,}": Level(n, events_per_s=RATE) for n in OPEN}
    return levels | {"flat out": Level(100, num_fleets=2, recovery=False), "real size": _real()}


def kafka_levels() -> dict[str, Level]:
    levels = {f"{n:,}": Level(n, events_per_s=RATE) for n in OPEN}
    return levels | {"flat out": Level(100, num_fleets=2, recovery=False), "real size": _real()}


def _real() -> Level:
    return Level(100, size="real", events_per_s=RATE / 3, recovery=False)


def partition_levels() -> dict[str, Level]:
    """What the partition count moves: the same load over 1, 4 and 16, then shared by two of each role."""
    levels = {f"{n} of 1": Level(1_000, num_partitions=n, events_per_s=RATE, recovery=False) for n in (1, 4, 16)}
    return levels | {"16 of 2": Level(1_000, num_partitions=16, num_members=2, events_per_s=RATE, recovery=False)}


LOCK_ROWS = (("median, ms", "p50_ms", ",.1f"), ("longest, ms", "max_ms", ",.0f"), ("appends made", "appends", ",.0f"))
CORE_ROWS = (
    ("CPU, us/event", "us", ",.0f"),
    ("events/s", "events_per_s", ",.0f"),
    ("MB/s", "mb_per_s", ",.1f"),
    ("rollouts/min", "rollouts_per_min", ",.0f"),
)
NEED_ROWS = (
    ("events/s", "events_per_s", ",.0f"),
    ("rollouts written, MB/s", "mb_per_s", ",.1f"),
    ("... in once, out twice, over 600 MB/s", "broker_share", ".2f"),
    ("workers: encoding and appends, cores", "worker_cores", ",.1f"),
    ("... all of .control read, MB/s", "to_workers_mb_per_s", ",.0f"),
    ("broker, cores", "broker_cores", ",.1f"),
    ("assembler, cores", "assembler_cores", ",.1f"),
    ("... processes", "assemblers", ",.0f"),
    ("archiver, cores", "archiver_cores", ",.1f"),
    ("... processes", "archivers", ",.0f"),
    ("partitions", "partitions", ",.0f"),
    ("scheduler, cores (it can use one)", "scheduler_cores", ".2f"),
)


def plot(path: Path, found: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
    import matplotlib

    matplotlib.use("svg")
    from matplotlib import pyplot

    figure, (cost, restart, decide) = pyplot.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
    names = [f"{n:,}" for n in OPEN]
    for engine, style in (("sqlite", "--"), ("kafka", "-")):
        columns = [found[engine][name] for name in names if name in found.get(engine, {})]
        for role, color in (("producer", "C0"), ("broker", "C1"), ("assembler", "C2"), ("archiver", "C3")):
            values = [column[f"{role}_us"] for column in columns]
            if any(values):
                cost.plot(OPEN[: len(values)], values, style, color=color, marker="o", label=f"{role}, {engine}")
        values = [column["recovery_s"] for column in columns]
        restart.plot(OPEN[: len(values)], values, style, color="C2", marker="o", label=engine)
    for key, label in (("decide_us_one", "assignment"), ("heartbeat_us", "heartbeat")):
        values = [column[key] for column in found["scheduler"].values()]
        decide.plot(OPEN[: len(values)], values, marker="o", label=label)
    titles = ("CPU per event, µs", "assembler killed: s until it decides", "scheduler: CPU, µs")
    for axis, title in zip((cost, restart, decide), titles, strict=True):
        axis.set(title=title, xscale="log", xlabel="concurrent episodes")
        axis.set_ylim(bottom=0)
        axis.legend(fontsize=7)
    figure.savefig(path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="10 and 100 episodes on SQLite")
    parser.add_argument("--log", help="kafka://host:port of a running broker, instead of one of its own")
    parser.add_argument("--doc", type=Path, help="put the tables into this document, in place of those it has")
    parser.add_argument("--plot", type=Path, help="write the figures as a picture, for example docs/scale.svg")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore", category=DeprecationWarning)
    found: dict[str, Any] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        found["sqlite"] = measured(sqlite_levels(arguments.quick), "", folder, None)
        show("SQLite, open episodes", found["sqlite"], ROWS)
        seconds = 1.0 if arguments.quick else 5.0
        found["write_lock"] = {str(n): write_lock.measure(folder, n, seconds) for n in (0, 1, 2)}
        show("SQLite, one append beside n busy writers", found["write_lock"], LOCK_ROWS)
        if not arguments.quick:
            url, pid = arguments.log, None
            if not url:
                sys.path.append(str(ROOT / "tests"))
                from plumbing.kafka_broker import KafkaBroker

                broker = stack.enter_context(KafkaBroker())
                url, pid = broker.url, broker.pid
            found["kafka"] = measured(kafka_levels(), url, folder, pid)
            show("Kafka, open episodes", found["kafka"], ROWS)
            found["partitions"] = measured(partition_levels(), url, folder, pid)
            show("Kafka, 1,000 open, partitions of members", found["partitions"], ROWS)
    found["scheduler"] = {f"{n:,}": slots.measure(n, 200 if arguments.quick else 600) for n in OPEN}
    show("scheduling core, slots", found["scheduler"], SLOT_ROWS)
    found["encoding"] = {
        name: encoding_cost(size, 0.5 if arguments.quick else 3.0)
        for name, size in SIZES.items()
        if name == "small" or not arguments.quick
    }
    encode_rows = [(f"a worker's {what}, us/event", f"{what}_us_per_event", ".0f") for what in ("struct", "encode")]
    show("episode size", found["encoding"], encode_rows)
    if not arguments.quick:
        real, fold = found["kafka"]["real size"], found["scheduler"][f"{OPEN[-1]:,}"]
        found["per_core"] = per_core(real, found["encoding"]["real"], fold, REAL)
        show("one core, episodes of real size", found["per_core"], CORE_ROWS)
        found["needs"] = needs(real, found["per_core"], fold, REAL)
        show("computed, rollouts a minute", found["needs"], NEED_ROWS)
    if arguments.plot:
        plot(arguments.plot, found)
    if arguments.doc:
        write_figures(arguments.doc)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
