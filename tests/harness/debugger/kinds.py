"""Which tests of the debugger run in containers as well: those of what the sandbox or its Python could change."""

import pytest

both_kinds = pytest.mark.parametrize("kind", ["local", pytest.param("docker", marks=pytest.mark.docker)])
