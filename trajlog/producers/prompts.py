"""The messages an episode opens with."""

from collections.abc import Sequence

from trajlog.harness.task import Task
from trajlog.serving.tokenizers import Message

SYSTEM = (
    "You fix bugs in Python programs. Work in small steps: read the code, edit it, run the tests. "
    "Call done when they pass."
)


def opening_messages(task: Task) -> Sequence[Message]:
    """System and user message: the statement and the files; nothing of the held-back parts."""
    files = ", ".join(sorted(task.workspace))
    return [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": f"{task.statement.strip()}\nFiles: {files}"},
    ]
