"""The smallest whole pass, no model and no torch: real bug tasks, a real sandbox, a scripted policy, SQL at the end.

python examples/smallest.py [FOLDER]      (default: runs/smallest)
"""

import sys
import threading
from pathlib import Path

from trajlog.analytics.query import connect, run_sql
from trajlog.config import EpisodeConfig, RunConfig, SamplingConfig
from trajlog.harness.catalog import load_catalog
from trajlog.producers.demonstrations import play
from trajlog.schemas import Producer, encode
from trajlog.serving.tokenizers import load_tokenizer
from trajlog.stream.archiver import run_archiver
from trajlog.stream.control import start_run
from trajlog.stream.open import open_log

folder = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/smallest")
folder.mkdir(parents=True, exist_ok=True)
config = RunConfig(
    run_id="smallest",
    episode=EpisodeConfig(turn_limit=12),
    sampling=SamplingConfig(max_tokens=4096),  # the byte tokenizer has a token per byte
)
producer = Producer("smallest")
tokenizer = load_tokenizer("byte")
with open_log(f"sqlite:///{folder}/log.db", create=True) as log:
    start_run(log, config, producer)
    for task in load_catalog(Path(__file__).parent / "demo_tasks").values():
        play(task, config, tokenizer, producer, lambda events: log.append(config.topic("rollouts"), encode(events)))
    drained = threading.Event()
    drained.set()  # an archiver told to stop archives what the log holds, then ends
    run_archiver(log, config, folder, drained)
    connection = connect(folder, log)
    print(run_sql(connection, "SELECT task_id, outcome, reward, num_turns FROM episodes ORDER BY task_id", "table"))
    connection.close()
