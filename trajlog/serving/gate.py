"""The gate before an engine that follows the log: a version can be asked for only once it is acknowledged."""

from concurrent.futures import Future
from pathlib import Path

from trajlog.serving.wire import BadRequest, Completion, CompletionRequest, Engine, UnknownModel


class GatedEngine:
    """An `Engine` for the HTTP server. The log's follower calls `load`, acknowledges, then calls `route`."""

    def __init__(self, engine: Engine):
        self._engine = engine
        self._routed: dict[str, None] = {}

    @property
    def failure(self) -> str | None:
        return self._engine.failure

    def load(self, name: str, path: Path) -> None:
        """Load an adapter; nobody can ask for it yet. Raises ModelError."""
        self._engine.load_adapter(name, path)

    def route(self, name: str) -> None:
        """Let requests ask for a loaded name."""
        self._routed[name] = None

    def retire(self, name: str) -> None:
        """Take no new request for `name`; running ones finish."""
        self._routed.pop(name, None)
        self._engine.unload_adapter(name)

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        if request.model not in self._routed:
            raise UnknownModel(f"model {request.model!r} is not served; served are {list(self._routed)}")
        return self._engine.submit(request)

    def load_adapter(self, name: str, path: Path) -> None:
        raise BadRequest(
            f"{name} was not loaded: this engine takes its versions from the log (policy_published), which keeps one "
            f"version number to one adapter"
        )

    def unload_adapter(self, name: str) -> None:
        raise BadRequest(f"{name} was not unloaded: this engine keeps the versions that its run still needs")

    def models(self) -> list[str]:
        return list(self._routed)

    def close(self) -> None:
        self._engine.close()
