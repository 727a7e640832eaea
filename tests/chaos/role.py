"""One role in a process of its own, as the command line runs it, with a journal of what the log acknowledged to it.

    python role.py JOURNAL MODEL ROLE [options of `trajlog ROLE`]

MODEL stands for the model that the settings name: the learner trains it, whatever the tokenizer is. The role `player`
is no role of trajlog's: player.py.
"""

import sys
from pathlib import Path

from tests.chaos.invariants import Journal, acknowledging
from trajlog import cli
from trajlog.serving import models
from trajlog.stream.sqlite import SqliteLog


def main() -> None:
    journal, model, *arguments = sys.argv[1:]
    acknowledged = Journal(Path(journal))
    acknowledging(SqliteLog, acknowledged)
    if any(argument.startswith("kafka://") for argument in arguments):
        from trajlog.stream.kafka import KafkaLog

        acknowledging(KafkaLog, acknowledged)
    models.resolve_model = lambda name: Path(model)
    if arguments[0] == "player":
        from tests.chaos import player

        cli.app.command("player")(player.player)
    sys.argv = ["trajlog", *arguments]
    cli.main()


if __name__ == "__main__":
    main()
