"""Replays an archive into a log in its own process, and ends it by SIGKILL around its n-th transaction.

    python replay_process.py RUN_DIR URL BATCH_RECORDS POINT N [FROM ...]

POINT as in role_process.py; on Kafka, middle is: records sent, the transaction open.
"""

import sys
from pathlib import Path

from tests.stream import role_process
from trajlog.stream import replay_events
from trajlog.stream.archive_records import RecordedArchive
from trajlog.stream.open import open_log


def main() -> None:
    run_dir, url, batch, point, number, *words = sys.argv[1:]
    replay_events.BATCH_RECORDS = int(batch)
    with RecordedArchive(Path(run_dir)) as archive, open_log(url, create=True) as log:
        role_process.install(log, point, int(number))
        if point == "middle" and url.startswith("kafka"):
            from trajlog.stream.kafka_transaction import TransactionalProducer

            commits = iter(range(1, 10**6))
            commit = TransactionalProducer.commit

            def dying_commit(self, *arguments):
                if next(commits) == int(number):
                    self._wait = lambda *_: role_process.die()
                commit(self, *arguments)

            TransactionalProducer.commit = dying_commit
        replay_events.replay_events(archive, log, words)


if __name__ == "__main__":
    main()
