"""A vLLM server as a policy engine: adapters go in by HTTP, workers talk to the server directly.

Start the server with `--enable-lora --max-loras N` (N > max_off_policy_steps), `--max-lora-rank`,
`VLLM_ALLOW_RUNTIME_LORA_UPDATING=1`, one API process, on a machine that sees the same adapter directories; with
`--logprobs-mode processed_logprobs` where the temperature is not 1; and with `--enable-return-routed-experts` where
router_replay.directory is set (a request cannot ask for it). That needs the prefix cache, which is on unless it is
turned off; vLLM 0.21 alone has no routing for what comes out of that cache and wants `--no-enable-prefix-caching`.

vLLM's prefix cache is keyed by the adapter's name: another adapter under a name that it has had gives results of the
old one. So each version is a new name, never loaded in place, and a server that holds a version from another
directory (another run's) is refused rather than reloaded.
"""

from pathlib import Path

from trajlog.errors import EngineError
from trajlog.serving.client import EngineClient


class VllmEngine:
    """Loads and unloads adapters in a vLLM server. `wait_s` bounds the wait for a server that is still starting."""

    def __init__(self, url: str, wait_s: float = 300.0):
        self.url = url
        self._client = EngineClient(url, retry_s=wait_s)
        self._loaded: set[str] = set()

    @property
    def failure(self) -> str | None:
        if not self._client.health():
            return f"the vLLM server at {self.url} does not answer"
        lost = sorted(self._loaded - self._client.adapter_paths().keys())
        return f"the vLLM server at {self.url} has lost {lost}; it was started again" if lost else None

    def load(self, name: str, path: Path) -> None:
        held = self._client.adapter_paths().get(name)
        if held is None:
            self._client.load_adapter(name, path)
        elif held != str(path):
            raise EngineError(
                f"the vLLM server at {self.url} holds {name} from {held}, this run's is {path}. Its prefix cache would "
                f"answer for the old one: restart the server, then start this engine again."
            )
        self._loaded.add(name)

    def retire(self, name: str) -> None:
        self._loaded.discard(name)
        self._client.unload_adapter(name)

    def require_routed_experts(self) -> None:
        """Ask the base model for one token. Raises EngineError when its answer has no usable routed experts."""
        adapters = self._client.adapter_paths()
        base = next((name for name in self._client.models() if name not in adapters), None)
        if base is None:
            raise EngineError(f"the vLLM server at {self.url} lists no base model; is it a vLLM server?")
        completion = self._client.complete(base, [0, 1], max_tokens=1, routed_experts_start=0)
        if completion.routed_experts is None:
            fault = completion.routing_fault or "its answers have no routed experts"
            raise EngineError(
                f"router_replay.directory is set, but the vLLM server at {self.url} cannot be replayed: {fault}. Start "
                f"it with --enable-return-routed-experts and a mixture of experts, or leave that setting empty."
            )

    def route(self, name: str) -> None:
        """Nothing to do: workers ask for a version once its acknowledgement is in the log."""

    def close(self) -> None:
        self._client.close()
