"""Where commands of an agent run: containers or processes of this machine, behind the protocols of `base`.

`SandboxPool` gives out either kind; `choice.open_pool` decides which. `container` is imported only where it is used.
"""

from trajlog.harness.sandbox.base import CommandResult, Limits, Process, Sandbox, SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox
from trajlog.harness.sandbox.pool import SandboxPool

__all__ = ["CommandResult", "Limits", "LocalSandbox", "Process", "Sandbox", "SandboxFactory", "SandboxPool"]
