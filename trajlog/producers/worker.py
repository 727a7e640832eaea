"""The worker role: a continuous pool of slots; when an episode ends, its slot takes the next.

consumes `.control` (episode_assigned, policy_acknowledged) and `.engines` (their heartbeats); produces the
episodes' events on `.rollouts` and heartbeats on `.liveness`; waits for a live engine's acknowledgement, then for
assignments; is unblocked by the scheduler and by engines. Killed at any instant, its unfinished episodes are abandoned
by the scheduler after one lease.
"""

import os
import queue
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack

from trajlog.config import RunConfig
from trajlog.errors import EngineError, TrajlogError
from trajlog.harness.sandbox import LocalSandbox, SandboxFactory
from trajlog.harness.task import Task
from trajlog.producers.agent import Assignment, Episode
from trajlog.producers.conversation import Prompt
from trajlog.producers.routing import Route, Router
from trajlog.schemas import EpisodeAssigned, Event, FinishedEpisode, Heartbeat, PolicyAcknowledged, Producer, encode
from trajlog.serving.client import EngineClient
from trajlog.serving.routed_experts import first_position
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import Completion, EngineUnreachable, UnknownModel, policy_name
from trajlog.stream.control import ControlFollower, Stop
from trajlog.stream.log import Log

HEARTBEATS_PER_LEASE = 4
REPEATED_FINISHED = 16
"""Finished episodes that a heartbeat names again, beside those that none has named: scheduler and workers read every
heartbeat, and the log keeps them."""
LEAVE_S = 5.0
"""How long a stopping worker waits for its slots; an engine's answer may take longer, and nobody needs it then."""
POLL_S = 0.25
ROUTE_TRIES = 5
"""Requests of one turn, each to wherever the episode's route leads then."""
ROUTE_WAIT_S = 300.0
"""How long a turn waits for a live engine; one that is started again loads its model meanwhile."""


class Worker:
    """Slots, their episodes, and what the scheduler is told of them. `run` blocks until `stop` is set."""

    def __init__(
        self,
        log: Log,
        config: RunConfig,
        tasks: Mapping[str, Task],
        tokenizer: Tokenizer,
        num_slots: int,
        stop: Stop,
        *,
        engine_url: str | None = None,
        name: str | None = None,
        make_sandbox: SandboxFactory = LocalSandbox,
        on_status: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._log = log
        self._config = config
        self._tasks = tasks
        self._tokenizer = tokenizer
        self._num_slots = num_slots
        self._stop = stop
        self._make_sandbox = make_sandbox
        self._on_status = on_status
        self.producer = Producer(name or f"worker-{socket.gethostname()}-{os.getpid()}")
        self._router = Router(config.scheduler.lease_s, engine_url)
        self._clients: dict[str, EngineClient] = {}
        self._queue: queue.SimpleQueue[Assignment | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._accepted: dict[str, Episode | None] = {}
        self._assigned: set[str] = set()
        """Episodes taken so far: an assignment that is in the log twice is played once."""
        self._finished: list[FinishedEpisode] = []
        """Not in any heartbeat yet."""
        self._reported: deque[FinishedEpisode] = deque(maxlen=REPEATED_FINISHED)
        self._unrouted: set[tuple[str, bool]] = set()
        """Engines whose lack of routed experts was said, and whether it was a fault in them."""
        self._changed = threading.Event()
        self._failure: BaseException | None = None

    def run(self) -> None:
        """Work until `stop` is set. Raises what broke the log or a slot (an episode's own failures are events)."""
        with ExitStack() as stack:
            stack.callback(lambda: [client.close() for client in self._clients.values()])
            follower = stack.enter_context(
                ControlFollower(
                    self._log,
                    self._config.topic("control"),
                    {EpisodeAssigned.kind, PolicyAcknowledged.kind},
                    run_id=self._config.run_id,
                )
            )
            engines = stack.enter_context(
                ControlFollower(
                    self._log,
                    self._config.topic("engines"),
                    {Heartbeat.kind},
                    start="end",
                    run_id=self._config.run_id,
                )
            )
            for _, event in follower.catch_up():
                self._see(event)
            slots = [threading.Thread(target=self._slot, name=f"slot-{i}", daemon=True) for i in range(self._num_slots)]
            heart = threading.Thread(target=self._heart, name="heartbeats", daemon=True)
            self._wait_for_engine(follower, engines)
            for thread in (*slots, heart):
                thread.start()
            try:
                while not self._ended():
                    for _, event in [*follower.poll(POLL_S), *engines.poll(0.0)]:
                        self._see(event)
            except BaseException as error:
                self._failure = self._failure or error
            self._leave(slots, heart)
        if self._failure is not None:
            raise self._failure

    def _ended(self) -> bool:
        return self._stop.is_set() or self._failure is not None

    def _wait_for_engine(self, follower: ControlFollower, engines: ControlFollower) -> None:
        self._on_status("waiting for an engine to serve a policy version")
        while self._route("") is None and not self._ended():
            for _, event in [*follower.poll(POLL_S), *engines.poll(0.0)]:
                self._see(event)

    def _see(self, event: Event) -> None:
        if isinstance(event, PolicyAcknowledged):
            with self._lock:
                self._router.acknowledged(event)
        elif isinstance(event, Heartbeat):
            with self._lock:
                self._router.heard(event, time.monotonic())
        elif isinstance(event, EpisodeAssigned) and event.worker == self._name():
            self._accept(event)

    def _accept(self, event: EpisodeAssigned) -> None:
        if event.episode_id is None or event.group_id is None or event.episode_id in self._assigned:
            return  # nothing to play, or the same assignment once more
        self._assigned.add(event.episode_id)
        task = self._tasks.get(event.task_id)
        if task is None:
            raise TrajlogError(
                f"the scheduler assigned task {event.task_id!r}, which this worker does not have: give it the same "
                f"task folder as the scheduler"
            )
        with self._lock:
            self._accepted[event.episode_id] = None
        ids = (event.run_id, event.group_id, event.episode_id)
        self._queue.put(Assignment(*ids, task, event.attempt, event.group_size))
        self._changed.set()

    def _slot(self) -> None:
        try:
            while (assignment := self._queue.get()) is not None and not self._ended():
                self._play(assignment)
        except BaseException as error:
            self._failure = self._failure or error

    def _play(self, assignment: Assignment) -> None:
        while (route := self._route(assignment.episode_id)) is None:
            if self._stop.wait(POLL_S) or self._ended():
                return  # nothing of it was played; `leaving` gives it back
        episode = Episode(
            assignment,
            self._config,
            self._tokenizer,
            self.producer,
            self._append,
            lambda prompt, max_tokens: self._sample(assignment.episode_id, prompt, max_tokens),
            route.policy_version,
            self._make_sandbox,
        )
        with self._lock:
            self._accepted[assignment.episode_id] = episode
        finished = episode.run()
        with self._lock:
            del self._accepted[assignment.episode_id]
            self._finished.append(FinishedEpisode(assignment.episode_id, finished.outcome))
        self._changed.set()

    def _append(self, events: Sequence[Event]) -> None:
        self._log.append(self._config.topic("rollouts"), encode(events))

    def _sample(self, episode_id: str, prompt: Prompt, max_tokens: int) -> tuple[int, Completion]:
        sampling = self._config.sampling
        start = first_position(prompt.prefix_len) if self._config.router_replay.directory else None
        for _ in range(ROUTE_TRIES):
            route = self._wait_for_route(episode_id)
            try:
                completion = self._client(route.endpoint).complete(
                    policy_name(route.policy_version),
                    prompt.token_ids,
                    max_tokens,
                    temperature=sampling.temperature,
                    top_p=sampling.top_p,
                    stop_token_ids=self._tokenizer.stop_token_ids,
                    routed_experts_start=start,
                )
            except UnknownModel:
                self._stop.wait(1.0)  # its engine moved on; the acknowledgement of a newer version is on its way
            except EngineUnreachable:
                with self._lock:
                    self._router.lost(route.endpoint)
            else:
                if start is not None and completion.routed_experts is None:
                    self._say_unrouted(route.endpoint, completion.routing_fault)
                return route.policy_version, completion
        raise EngineError(f"no engine answered in {ROUTE_TRIES} tries; the last was {route.endpoint}: look at its log")

    def _say_unrouted(self, endpoint: str, fault: str | None) -> None:
        """Say why generations have no side file, once for each engine and for each of the two causes."""
        with self._lock:
            said = (endpoint, fault is None) in self._unrouted
            self._unrouted.add((endpoint, fault is None))
        if not said:
            self._on_status(
                f"no routing to replay for generations of the engine at {endpoint} (said once): "
                f"{fault or 'its answers have no routed experts'}. A vLLM server needs --enable-return-routed-experts "
                f"and a mixture of experts; empty router_replay.directory to do without"
            )

    def _wait_for_route(self, episode_id: str) -> Route:
        """The episode's route, waiting at most ROUTE_WAIT_S for a live engine. Raises EngineError."""
        give_up = time.monotonic() + ROUTE_WAIT_S
        while (route := self._route(episode_id)) is None:
            if self._ended():
                raise EngineError("the worker is stopping")
            if time.monotonic() > give_up:
                raise EngineError(f"no live engine serves a policy version (waited {ROUTE_WAIT_S:.0f} s); start one")
            self._stop.wait(POLL_S)
        return route

    def _route(self, episode_id: str) -> Route | None:
        with self._lock:
            return self._router.route(episode_id, time.monotonic())

    def _client(self, endpoint: str) -> EngineClient:
        with self._lock:
            client = self._clients.get(endpoint)
            if client is None:
                client = self._clients[endpoint] = EngineClient(endpoint, retry_s=5.0)
            return client

    def _heart(self) -> None:
        pause_s = self._config.scheduler.lease_s / HEARTBEATS_PER_LEASE
        try:
            while not self._ended():
                self._beat()
                self._changed.wait(pause_s)
                self._changed.clear()
        except BaseException as error:
            self._failure = self._failure or error

    def _beat(self, leaving: bool = False) -> None:
        with self._lock:
            running, finished = tuple(self._accepted), tuple(self._finished)
            reported = tuple(self._reported)
        event = Heartbeat(
            **self.producer.stamp(self._config.run_id),
            role="worker",
            num_slots=self._num_slots,
            running=() if leaving else running,
            finished=(*reported, *finished),
            leaving=leaving,
        )
        self._log.append(self._config.topic("liveness"), encode([event]))
        with self._lock:
            del self._finished[: len(finished)]
            self._reported.extend(finished)

    def _leave(self, slots: Sequence[threading.Thread], heart: threading.Thread) -> None:
        """End the slots' episodes (outcome error: the worker is stopping), then tell the scheduler."""
        with self._lock:
            episodes = [episode for episode in self._accepted.values() if episode is not None]
        for episode in episodes:
            episode.cancel()
        for client in list(self._clients.values()):
            client.close()
        for _ in slots:
            self._queue.put(None)
        self._changed.set()
        give_up = time.monotonic() + LEAVE_S
        for thread in (*slots, heart):
            if thread.ident is not None:
                thread.join(timeout=max(0.0, give_up - time.monotonic()))
        if heart.ident is not None and self._failure is None:
            self._beat(leaving=True)

    def _name(self) -> str:
        return f"{self.producer.id}/{self.producer.incarnation}"
