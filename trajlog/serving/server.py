"""The HTTP server in front of an engine: starlette and uvicorn, one process, one engine.

Status codes: 400 a wrong request, 404 an unknown model, 429 the engine's queue is full (with Retry-After),
500 the engine failed; each with an OpenAI error body whose message says what to do. A client that goes away
cancels its generation.

    with EngineServer(engine, host="127.0.0.1", port=0) as server:
        server.url                     # http://127.0.0.1:43127
"""

import asyncio
import contextlib
import socket
import threading
import uuid
from collections.abc import AsyncIterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from trajlog.errors import EngineError, ModelError
from trajlog.serving.wire import (
    BadRequest,
    Completion,
    Engine,
    EngineBusy,
    UnknownModel,
    decode_request,
    encode_completion,
)

_STATUS = {BadRequest: 400, ModelError: 400, UnknownModel: 404, EngineBusy: 429, EngineError: 500}
_START_TIMEOUT_S = 30.0


class _AdapterCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    lora_name: str
    lora_path: str = ""


def create_app(engine: Engine) -> Starlette:
    """The routes of wire.py over one engine."""

    async def completions(request: Request) -> Response:
        wanted = decode_request(await request.body())
        completion = await _answer_or_cancel(engine.submit(wanted), request)
        body = encode_completion(f"cmpl-{uuid.uuid4().hex}", wanted, completion)
        return Response(body, media_type="application/json")

    async def models(_: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": name, "object": "model"} for name in engine.models()]})

    async def health(_: Request) -> Response:
        failure = engine.failure
        return JSONResponse({"status": failure or "ok"}, status_code=503 if failure else 200)

    async def load(request: Request) -> Response:
        call = _adapter_call(await request.body())
        if not call.lora_path:
            raise BadRequest("lora_path is missing; give the adapter directory on this machine")
        await asyncio.to_thread(engine.load_adapter, call.lora_name, Path(call.lora_path))
        return JSONResponse({"loaded": call.lora_name})

    async def unload(request: Request) -> Response:
        call = _adapter_call(await request.body())
        await asyncio.to_thread(engine.unload_adapter, call.lora_name)
        return JSONResponse({"unloaded": call.lora_name})

    return Starlette(
        routes=[
            Route("/v1/completions", completions, methods=["POST"]),
            Route("/v1/models", models),
            Route("/health", health),
            Route("/v1/load_lora_adapter", load, methods=["POST"]),
            Route("/v1/unload_lora_adapter", unload, methods=["POST"]),
        ],
        exception_handlers={kind: _refuse for kind in _STATUS},
    )


def _refuse(_: Request, error: Exception) -> Response:
    status = next(code for kind, code in _STATUS.items() if isinstance(error, kind))
    body = {"error": {"message": str(error), "type": type(error).__name__, "code": status}}
    return JSONResponse(body, status_code=status, headers={"Retry-After": "1"} if status == 429 else None)


def _adapter_call(body: bytes) -> _AdapterCall:
    try:
        return msgspec.json.decode(body, type=_AdapterCall)
    except msgspec.DecodeError as error:
        raise BadRequest(f'bad adapter request: {error}. Send {{"lora_name": str, "lora_path": str}}') from error


async def _answer_or_cancel(future: "Future[Completion]", request: Request) -> Completion:
    """The completion; when the client disconnects first, the generation is cancelled."""
    answer: asyncio.Future[Completion] = asyncio.wrap_future(future)
    gone = asyncio.ensure_future(request.receive())  # the body is read: only http.disconnect can follow
    try:
        await asyncio.wait({answer, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not answer.done():
            answer.cancel()
            raise EngineError("the client went away before its completion was ready")
        return answer.result()
    finally:
        gone.cancel()


class EngineServer:
    """Serves an engine from a thread of its own until closed. The engine is the caller's to close.

    `port` 0 takes a free one; `url` tells which. `listener` (of `listen`) stands for an address taken earlier.
    Raises EngineError when the address cannot be bound.
    """

    def __init__(self, engine: Engine, host: str = "127.0.0.1", port: int = 0, listener: socket.socket | None = None):
        self._socket = listener or listen(host, port)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{host}:{self.port}"
        started = threading.Event()

        @contextlib.asynccontextmanager
        async def lifespan(_: Any) -> AsyncIterator[None]:
            started.set()
            yield

        app = create_app(engine)
        app.router.lifespan_context = lifespan
        self._server = uvicorn.Server(
            uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=2)
        )
        self._thread = threading.Thread(target=self._run, name="engine-http", daemon=True)
        self._thread.start()
        if not started.wait(_START_TIMEOUT_S):
            self.close()
            raise EngineError(f"the HTTP server at {self.url} did not start within {_START_TIMEOUT_S:g} s")

    def _run(self) -> None:
        self._server.run(sockets=[self._socket])

    @property
    def alive(self) -> bool:
        """False once the serving thread has ended, for whatever reason."""
        return self._thread.is_alive()

    def close(self) -> None:
        """Stop listening; running requests get two seconds."""
        self._server.should_exit = True
        self._thread.join(timeout=10.0)
        self._socket.close()

    def __enter__(self) -> "EngineServer":
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises EngineError saying which address is taken or wrong."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(1024)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise EngineError(
            f"cannot listen on {host}:{port}: {error.strerror or error}. Choose another --port (0 takes a free "
            f"one), or stop the process that holds it."
        ) from error
    return listener
