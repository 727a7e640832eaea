"""The same events into Agent Lightning's store; runs in an environment of its own (streaming/peers.py).

    LITELLM_LOCAL_MODEL_COST_MAP=True python agent_lightning.py PORT EVENTS.jsonl NUM_HTTP

One span an event, its fields as attributes, into the memory store: first called in this process, then, for the first
NUM_HTTP events, through its HTTP server (a process of its own) and client, one call in flight. Prints a JSON object of
events per second. Making the spans is not timed.
"""

import asyncio
import json
import multiprocessing
import socket
import sys
import time
from pathlib import Path

from agentlightning.store.client_server import LightningStoreClient, LightningStoreServer
from agentlightning.store.memory import InMemoryLightningStore
from agentlightning.types import OtelResource, Span, TraceStatus

SERVER_S = 120


def plain(value):
    """Whether a span's attribute may be this: a scalar, or a list of scalars of one type."""
    scalar = (str, int, float, bool)
    if isinstance(value, list):
        return all(isinstance(v, scalar) and type(v) is type(value[0]) for v in value)
    return isinstance(value, scalar)


def span(event, number, rollout_id, attempt_id):
    kind = event.pop("kind")
    present = {name: value for name, value in event.items() if value is not None}
    attributes = {name: value if plain(value) else json.dumps(value) for name, value in present.items()}
    return Span(
        rollout_id=rollout_id,
        attempt_id=attempt_id,
        sequence_id=number,
        trace_id=f"{number:032x}",
        span_id=f"{number:016x}",
        parent_id=None,
        name=kind,
        status=TraceStatus(status_code="OK"),
        attributes=attributes,
        events=[],
        links=[],
        start_time=1.0,
        end_time=2.0,
        context=None,
        parent=None,
        resource=OtelResource(attributes={}, schema_url=""),
    )


async def rate(store, events):
    """Events per second; every episode is a rollout of the store with one attempt."""
    attempts, spans = {}, []
    for number, event in enumerate(events):
        episode = event["episode_id"]
        if episode not in attempts:
            attempts[episode] = await store.start_rollout(input={"episode_id": episode})
        attempt = attempts[episode]
        spans.append(span(dict(event), number, attempt.rollout_id, attempt.attempt.attempt_id))
    started = time.perf_counter()
    for each in spans:
        await store.add_span(each)
    return len(spans) / (time.perf_counter() - started)


def serve(port):
    async def run():
        server = LightningStoreServer(
            InMemoryLightningStore(thread_safe=True), host="127.0.0.1", port=port, launch_mode="thread"
        )
        await server.start()
        await asyncio.Event().wait()

    asyncio.run(run())


def wait_for(port):
    deadline = time.monotonic() + SERVER_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            if time.monotonic() > deadline:
                raise SystemExit(f"its server did not listen within {SERVER_S} s") from None
            time.sleep(0.1)


async def over_http(port, events):
    client = LightningStoreClient(f"http://127.0.0.1:{port}")
    try:
        return await rate(client, events)
    finally:
        await client.close()


def main():
    port, path, num_http = int(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    events = [json.loads(line) for line in path.read_text().splitlines()]
    in_process = asyncio.run(rate(InMemoryLightningStore(), events))
    server = multiprocessing.get_context("spawn").Process(target=serve, args=(port,), daemon=True)
    server.start()
    try:
        wait_for(port)
        http = asyncio.run(over_http(port, events[:num_http]))
    finally:
        server.kill()
        server.join()
    print(json.dumps({"in_process": in_process, "http": http}))


if __name__ == "__main__":
    main()
