import pytest
from harness.sandbox.boxes import build_once

from trajlog.harness.debugger.session import Deadlines, DebuggerSession
from trajlog.harness.sandbox import Limits, SandboxPool

SHORT = Deadlines(answer_s=1.0, grace_s=1.0)
"""For tests whose subject is what happens past a deadline."""


@pytest.fixture(scope="session")
def containers():
    """Two containers wait all the time, so that a test seldom has to."""
    build_once()
    with SandboxPool("docker", num_warm=2) as pool:
        yield pool


@pytest.fixture
def kind():
    """Where the test's programs run; tests marked `harness.debugger.kinds.both_kinds` get both, one after the other."""
    return "local"


@pytest.fixture
def new_sandbox(kind, request):
    """`new_sandbox(files, limits)`; closed after the test."""
    pool = request.getfixturevalue("containers") if kind == "docker" else SandboxPool("local")
    made = []

    def make(files, limits=None):
        files = {name: text.encode() if isinstance(text, str) else text for name, text in files.items()}
        made.append(pool(files, limits))
        return made[-1]

    yield make
    for sandbox in made:
        sandbox.close()


@pytest.fixture
def debug(new_sandbox):
    """Start a session on files: `debug({"a.py": "..."}, "a.py", timeout_s=..., deadlines=..., is_test=..., test=...)`.

    The reply to its start is `session.opening`.
    """

    def start(files, path, *, timeout_s=20.0, limits=None, deadlines=None, **options):
        session = DebuggerSession(new_sandbox(files, limits or Limits(timeout_s=timeout_s)), deadlines)
        session.opening = session.start(path, **options)
        return session

    return start


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
