"""An SFT corpus out of the archive: solved episodes as chat JSONL, the same bytes from the same events every time.

`corpus.jsonl` has one line per chain (a token sequence that was only appended to; almost every episode is one chain):

- messages: OpenAI chat messages up to the chain's last assistant turn; tool_calls with `arguments` as the text that was
  sampled, tool messages by tool_call_id; tools: the OpenAI tools array;
- token_ids: what the policy saw and sampled, from the generations, never tokenised again; assistant_masks: 1 on the
  tokens that this chain generated (each generated token is trained once), 0 on context; both of one length;
- run_id, group_id, episode_id, task_id, category, chain, policy_version (at the episode's start), outcome, reward.

Lines are ASCII (JSON escapes), ordered by task, episode and chain. `manifest.json` tells how it was made: the SQL, the
last offset taken of each partition (`as_of`), what was left out and why, and the corpus's SHA-256. Both are functions
of events alone: files, compactions, table versions and repeated events do not show.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from trajlog import __version__
from trajlog.analytics.corpus_folder import new_corpus_folder
from trajlog.analytics.query import define_views
from trajlog.errors import ArchiveError, ConfigError
from trajlog.schemas import token_digest
from trajlog.stream.archive import Archive, application
from trajlog.stream.archive_read import create_events_view
from trajlog.stream.archiver import archive_location
from trajlog.stream.log import TopicPartition

CORPUS = "corpus.jsonl"
MANIFEST = "manifest.json"

SQL = """
SELECT e.run_id, e.group_id, e.episode_id, e.task_id, e.category, e.policy_version, e.outcome, e.reward,
    v.kind, v.seq, v.turn, v.messages, v.tools, v.chain, v.prefix_len, v.prefix_sha256, v.prompt_token_ids, v.token_ids,
    v.text, v.call_id, v.name, v.arguments, v.content
FROM events AS v
JOIN episodes AS e USING (episode_id)
WHERE v.kind IN ('episode_started', 'generation', 'tool_call', 'observation', 'episode_finished')
    AND e.outcome = 'solved'
QUALIFY row_number() OVER (
    PARTITION BY v.episode_id, v.seq ORDER BY v.topic, v."partition", v."offset", v."row") = 1
ORDER BY e.task_id, e.episode_id, v.seq
"""

_OTHERS = "SELECT outcome, count(*) FROM episodes WHERE outcome <> 'solved' GROUP BY 1 ORDER BY 1"
_CALL = re.compile(r"<tool_call>.*?(</tool_call>|\Z)|\{\s*\"tool_calls\"\s*:.*\Z", re.DOTALL)
_FETCH = 2000

Row = dict[str, Any]


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """How a corpus was made."""

    corpus: str
    num_examples: int
    num_episodes: int
    num_tokens: int
    num_assistant_tokens: int
    rejected: dict[str, int]
    """Episodes left out, by reason: an outcome, `incomplete` (events are missing), `broken_chain` (a generation does
    not continue the tokens it says it continues), `no_generation` (nothing was sampled, or not before a call)."""
    sha256: str
    """Of the corpus's bytes."""
    sql: str
    as_of: dict[str, int]
    """Last offset taken, per `<topic>-<partition>`."""
    log_identity: str
    trajlog_version: str


def replay_sft(run_dir: Path, out_dir: Path, again: Manifest | None = None) -> Manifest:
    """Write the corpus of a run's solved episodes to the folder `out_dir`, whole or not at all.

    `again`: an earlier manifest, to make its corpus again when more has been archived since. Raises ConfigError when
    the folder holds something else, when the manifest is of another log or asks for more than is archived, and when
    the bytes come out different (then nothing is written).
    """
    archive = Archive(archive_location(run_dir))
    if again is not None and again.log_identity != archive.identity:
        raise ConfigError(f"the manifest is of log {again.log_identity}, {run_dir} archives log {archive.identity}")
    with new_corpus_folder(out_dir) as folder, duckdb.connect() as con:
        try:
            con.execute("SET TimeZone = 'UTC'")
            create_events_view(con, "archived", archive.source())
            bounds = _bounds(con, archive, again.as_of if again else None)
            con.execute(f"CREATE TEMP VIEW events AS SELECT * FROM archived WHERE {_predicate(bounds)}")
            define_views(con)
            tally = _write(con, folder / CORPUS)
        except duckdb.Error as error:
            raise ArchiveError(
                f"the files of {archive.location} cannot be read: {error}. Check them with `trajlog archive verify`."
            ) from error
        if again is not None and tally.sha256.hexdigest() != again.sha256:
            raise ConfigError(
                f"the corpus comes out with sha256 {tally.sha256.hexdigest()}, the manifest says {again.sha256}: its "
                f"as_of was edited, or trajlog {again.trajlog_version} (this is {__version__}) made it by other rules"
            )
        manifest = Manifest(
            corpus=CORPUS,
            num_examples=tally.num_examples,
            num_episodes=tally.num_episodes,
            num_tokens=tally.num_tokens,
            num_assistant_tokens=tally.num_assistant_tokens,
            rejected=dict(sorted(tally.rejected.items())),
            sha256=tally.sha256.hexdigest(),
            sql=SQL.strip(),
            as_of=bounds,
            log_identity=archive.identity,
            trajlog_version=__version__,
        )
        text = json.dumps(msgspec.to_builtins(manifest), indent=2, sort_keys=True) + "\n"
        (folder / MANIFEST).write_text(text, encoding="ascii")
    return manifest


def read_manifest(manifest: Path) -> Manifest:
    """An earlier manifest.json. Raises ConfigError when the file is not one."""
    try:
        return msgspec.json.decode(manifest.read_bytes(), type=Manifest)
    except (OSError, msgspec.DecodeError) as error:
        raise ConfigError(f"{manifest} is not the manifest of a corpus: {error}. Name its manifest.json.") from None


class _Tally:
    def __init__(self) -> None:
        self.num_examples = self.num_episodes = self.num_tokens = self.num_assistant_tokens = 0
        self.rejected: dict[str, int] = {}
        self.sha256 = hashlib.sha256()


def _write(con: duckdb.DuckDBPyConnection, path: Path) -> _Tally:
    tally = _Tally()
    tally.rejected |= dict(con.sql(_OTHERS).fetchall())
    with path.open("wb") as file:
        for rows in _episodes(con):
            reason = reject_reason(rows)
            if reason is not None:
                tally.rejected[reason] = tally.rejected.get(reason, 0) + 1
                continue
            tally.num_episodes += 1
            for example in examples(rows):
                line = json.dumps(example, allow_nan=False).encode("ascii") + b"\n"
                file.write(line)
                tally.sha256.update(line)
                tally.num_examples += 1
                tally.num_tokens += len(example["token_ids"])
                tally.num_assistant_tokens += sum(example["assistant_masks"])
    return tally


def _episodes(con: duckdb.DuckDBPyConnection) -> Iterator[list[Row]]:
    """Rows of SQL, one list per episode, in order."""
    cursor = con.execute(SQL)
    names = [column[0] for column in cursor.description or []]

    def rows() -> Iterator[Row]:
        while fetched := cursor.fetchmany(_FETCH):
            for row in fetched:
                yield dict(zip(names, row, strict=True))

    for _, episode in groupby(rows(), lambda row: row["episode_id"]):
        yield list(episode)


def reject_reason(rows: Sequence[Row]) -> str | None:
    """Why a solved episode cannot be an example; None when it can. `rows` are its events in order of seq."""
    if [row["seq"] for row in rows] != list(range(len(rows))):
        return "incomplete"
    if rows[0]["kind"] != "episode_started" or rows[-1]["kind"] != "episode_finished":
        return "incomplete"
    tokens: dict[int, list[int]] = {}
    for row in rows:
        if row["kind"] == "generation":
            chain = tokens.setdefault(row["chain"], [])
            if row["prefix_len"] != len(chain) or row["prefix_sha256"] != token_digest(chain):
                return "broken_chain"
            chain += row["prompt_token_ids"] + row["token_ids"]
        elif row["kind"] == "tool_call" and not tokens:
            return "no_generation"
    return None if tokens else "no_generation"


def examples(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """The examples of one episode, one per chain, in order. `rows` as for reject_reason, which returned None."""
    started, finished = rows[0], rows[-1]
    messages: list[dict[str, Any]] = list(json.loads(started["messages"]))
    tools = json.loads(started["tools"])
    token_ids: dict[int, list[int]] = {}
    masks: dict[int, list[int]] = {}
    lengths: dict[int, int] = {}
    for row in rows[1:-1]:
        match row["kind"]:
            case "generation":
                chain = row["chain"]
                token_ids.setdefault(chain, []).extend(row["prompt_token_ids"] + row["token_ids"])
                masks.setdefault(chain, []).extend([0] * len(row["prompt_token_ids"]) + [1] * len(row["token_ids"]))
                messages.append({"role": "assistant", "content": row["text"]})
                lengths[chain] = len(messages)
            case "tool_call":
                _add_call(messages, row)
            case "observation":
                messages.append(_answer(row))
    return [
        {
            "messages": messages[: lengths[chain]],
            "tools": tools,
            "token_ids": token_ids[chain],
            "assistant_masks": masks[chain],
            "run_id": finished["run_id"],
            "group_id": finished["group_id"],
            "episode_id": finished["episode_id"],
            "task_id": finished["task_id"],
            "category": finished["category"],
            "chain": chain,
            "policy_version": finished["policy_version"],
            "outcome": finished["outcome"],
            "reward": finished["reward"],
        }
        for chain in sorted(token_ids)
    ]


def _add_call(messages: list[dict[str, Any]], row: Row) -> None:
    """Move a call from the last assistant turn's text to its tool_calls."""
    turn = next(message for message in reversed(messages) if message["role"] == "assistant")
    turn["content"] = _CALL.sub("", turn["content"]).strip()
    call = {"name": row["name"] or "", "arguments": row["arguments"]}
    turn.setdefault("tool_calls", []).append({"id": row["call_id"], "type": "function", "function": call})


def _answer(row: Row) -> dict[str, Any]:
    if row["call_id"] is None:
        return {"role": "user", "content": row["content"]}
    return {"role": "tool", "tool_call_id": row["call_id"], "name": row["name"] or "", "content": row["content"]}


def _bounds(con: duckdb.DuckDBPyConnection, archive: Archive, as_of: Mapping[str, int] | None) -> dict[str, int]:
    """Last offset to take of each partition, by name."""
    held = [TopicPartition(*row) for row in con.sql("SELECT DISTINCT topic, partition FROM archived").fetchall()]
    covered = {application(tp): last for tp in sorted(held) if (last := archive.covered(tp)) is not None}
    if as_of is None:
        return covered
    missing = {name: last for name, last in as_of.items() if last > covered.get(name, -1)}
    if missing:
        raise ConfigError(
            f"as_of asks for offsets that {archive.location} does not have yet: {missing}, archived are {covered}. "
            f"Run `trajlog archiver` first, or name the run directory that the manifest came from."
        )
    return dict(as_of)


def _predicate(bounds: Mapping[str, int]) -> str:
    terms = []
    for name, last in bounds.items():
        topic, _, partition = name.rpartition("-")
        terms.append(f"""(topic = '{topic}' AND "partition" = {int(partition)} AND "offset" <= {int(last)})""")
    return " OR ".join(terms) or "false"
