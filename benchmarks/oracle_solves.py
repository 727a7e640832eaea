"""How many of the shipped tasks the oracle solves, by every route, through the real harness: no log, no model.

    python benchmarks/oracle_solves.py --per-task 4 --jobs 2

Prints what was not solved, and last a line of JSON: demonstrations, solved, tasks of which every demonstration was
solved, seconds.
"""

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache

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


def one(task_id: str, attempt: int) -> tuple[str, int, str, int, int]:
    task, config = catalog()[task_id], default_config()
    how = variant(task, attempt, config.seed, offered_tools(config.episode))
    tokenizer, producer = load_tokenizer("byte"), Producer("oracle")
    config = plan_config(config)
    finished = play(task, config, tokenizer, producer, lambda events: None, how=how, attempt=attempt)
    return task_id, attempt, finished.outcome, finished.num_turns, finished.num_generated_tokens


def plan_config(config):
    """The settings with room for bytes as tokens."""
    import msgspec

    episode = msgspec.structs.replace(config.episode, context_limit=1_000_000)
    return msgspec.structs.replace(
        config,
        episode=episode,
        sampling=msgspec.structs.replace(config.sampling, max_tokens=100_000),
        learner=msgspec.structs.replace(config.learner, max_tokens_per_microbatch=1_000_000),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--per-task", type=int, default=4)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="every tenth task, once")
    options = parser.parse_args()
    tasks = list(catalog().values())[:: 10 if options.quick else 1]
    planned = plan(default_config(), tasks, 1 if options.quick else options.per_task)
    started, solved, failed = time.perf_counter(), 0, set()
    with ProcessPoolExecutor(options.jobs) as pool:
        results = pool.map(one, [p.task.task_id for p in planned], [p.attempt for p in planned])
        for task_id, attempt, outcome, turns, _ in results:
            solved += outcome == "solved"
            if outcome != "solved":
                failed.add(task_id)
                print(f"{task_id} attempt {attempt}: {outcome} after {turns} turns", flush=True)
    print(
        json.dumps(
            {
                "demonstrations": len(planned),
                "solved": solved,
                "tasks": len(tasks),
                "tasks_always_solved": len(tasks) - len(failed),
                "seconds": round(time.perf_counter() - started, 1),
            }
        )
    )


if __name__ == "__main__":
    main()
