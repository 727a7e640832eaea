import pytest
from harness.sandbox.boxes import BOTH


@pytest.fixture(params=BOTH)
def make(request):
    """Makes sandboxes of either kind; each test that asks for it runs with both."""
    return request.param


@pytest.fixture
def sandbox(make):
    with make({"hello.py": b"print('hi')\n"}) as made:
        yield made
