"""The messages an episode opens with."""

from collections.abc import Sequence

from trajlog.harness.task import Task
from trajlog.serving.tokenizers import Message

SYSTEM = (
    "You fix bugs in Python programs. Work in small steps: read the code, edit it, run the tests. "
    "Call done when they pass."
)

DEBUGGER = "Where reading does not explain a value, stop the running program with the debugger and look at it."


def opening_messages(task: Task, *, debugger: bool) -> Sequence[Message]:
    """System and user message: the statement and the files; nothing of the held-back parts, nor of the task's label.

    `debugger`: whether its tools are offered; only then is it mentioned.
    """
    files = ", ".join(sorted(task.workspace))
    return [
        {"role": "system", "content": f"{SYSTEM} {DEBUGGER}" if debugger else SYSTEM},
        {"role": "user", "content": f"{task.statement.strip()}\nFiles: {files}"},
    ]
