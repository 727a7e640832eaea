"""How many of the shipped tasks the oracle solves, by every route, through the real harness: no log, no model.

    python benchmarks/oracle_solves.py --per-task 4 --jobs 2

Prints what was not solved, and last a line of JSON: demonstrations, solved, tasks of which every demonstration was
solved, seconds.
"""

import argparse
import json
import statistics
import time
from collections import Counter, defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import cache

import msgspec

from trajlog.config import RunConfig
from trajlog.control_arm import offered_tools
from trajlog.demonstrations import default_config, plan
from trajlog.harness.catalog import load_catalog
from trajlog.harness.task import Task
from trajlog.producers.demonstrations import play
from trajlog.producers.oracle import variant
from trajlog.schemas import Producer
from trajlog.serving.tokenizers import load_tokenizer


@cache
def catalog() -> dict[str, Task]:
    return load_catalog()


def one(task_id: str, attempt: int) -> tuple[str, int, str, int]:
    task, config = catalog()[task_id], default_config()
    how = variant(task, attempt, config.seed, offered_tools(config.episode))
    tokenizer, producer = load_tokenizer("byte"), Producer("oracle")
    finished = play(task, room_for_bytes(config), tokenizer, producer, lambda events: None, how=how, attempt=attempt)
    return task_id, attempt, finished.outcome, finished.num_turns


def room_for_bytes(config: RunConfig) -> RunConfig:
    """The settings for a tokenizer whose tokens are bytes."""
    return msgspec.structs.replace(
        config,
        episode=msgspec.structs.replace(config.episode, context_limit=1_000_000),
        sampling=msgspec.structs.replace(config.sampling, max_tokens=100_000),
        learner=msgspec.structs.replace(config.learner, max_tokens_per_microbatch=1_000_000),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-task", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="every fortieth task, once")
    options = parser.parse_args()
    tasks = list(catalog().values())[:: 40 if options.quick else 1]
    planned = plan(default_config(), tasks, 1 if options.quick else options.per_task)
    started, failed = time.perf_counter(), set()
    solved, turns = Counter[int](), defaultdict[int, list[int]](list)
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(one, [p.task.task_id for p in planned], [p.attempt for p in planned])
        for task_id, attempt, outcome, num_turns in results:
            solved[attempt] += outcome == "solved"
            turns[attempt].append(num_turns)
            if outcome != "solved":
                failed.add(task_id)
                print(f"{task_id} attempt {attempt}: {outcome} after {num_turns} turns", flush=True)
    print("attempt  played  solved  median turns")
    for attempt, taken in sorted(turns.items()):
        print(f"{attempt:7}  {len(taken):6}  {solved[attempt]:6}  {statistics.median(taken):12g}")
    figures = {
        "demonstrations": len(planned),
        "solved": solved.total(),
        "tasks": len(tasks),
        "tasks_always_solved": len(tasks) - len(failed),
        "seconds": round(time.perf_counter() - started, 1),
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
