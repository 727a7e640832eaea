import pytest

from trajlog.harness.debugger.session import Deadlines, DebuggerSession
from trajlog.harness.sandbox import Limits, LocalSandbox

SHORT = Deadlines(answer_s=1.0, grace_s=1.0)
"""For tests whose subject is what happens past a deadline."""


@pytest.fixture
def debug():
    """Start a session on files: `debug({"a.py": "..."}, "a.py", timeout_s=..., deadlines=..., is_test=..., test=...)`.

    The reply to its start is `session.opening`.
    """
    opened = []

    def start(files, path, *, timeout_s=20.0, limits=None, deadlines=None, **options):
        files = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
        sandbox = LocalSandbox(files, limits or Limits(timeout_s=timeout_s))
        opened.append(sandbox)
        session = DebuggerSession(sandbox, deadlines)
        session.opening = session.start(path, **options)
        return session

    yield start
    for sandbox in opened:
        sandbox.close()


@pytest.fixture
def short():
    return SHORT


@pytest.fixture
def still_running():
    """Wait on, deadline after deadline, until a running program's stacks have all of `texts`; that reply."""

    def wait(session, *texts):
        for _ in range(20):
            reply = session.continue_execution()
            assert reply.text.startswith("still running")
            if all(text in reply.text for text in texts):
                break
        return reply

    return wait


@pytest.fixture
def first_line():
    return lambda reply: reply.text.splitlines()[0]
