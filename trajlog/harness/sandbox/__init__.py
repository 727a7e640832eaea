"""Where commands of an agent run: `LocalSandbox` on this machine, behind the protocols of `base`."""

from trajlog.harness.sandbox.base import CommandResult, Limits, Process, Sandbox, SandboxFactory
from trajlog.harness.sandbox.local import LocalSandbox

__all__ = ["CommandResult", "Limits", "LocalSandbox", "Process", "Sandbox", "SandboxFactory"]
