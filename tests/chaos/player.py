"""A worker without sandboxes and sampling, for many episodes: the events, leases and heartbeats of a real one.

Its slots take turns in one thread. An episode has one to three turns of a few tokens, sampled by nobody under the
newest version that an engine acknowledged; its outcome is a hash of its id, so that groups differ within. Asked to
stop,
it plays what it has been given to the end, then says that it leaves.
"""

import hashlib
import os
import time
from array import array
from collections.abc import Iterator

from trajlog import cli
from trajlog.config import RunConfig
from trajlog.schemas import (
    EpisodeAssigned,
    EpisodeFinished,
    EpisodeStarted,
    FinishedEpisode,
    Generation,
    Heartbeat,
    Observation,
    PolicyAcknowledged,
    Producer,
    ToolCall,
    VersionRun,
    encode,
    token_digest,
)
from trajlog.stream.control import ControlFollower, Stop
from trajlog.stream.log import Log

TURN_S = 0.03
"""What sampling a turn takes, all slots together; also its latency_s."""


def player(log: cli.LogUrl, prefix: cli.Prefix = None, slots: int = 4) -> None:
    """Play without sampling."""
    with cli._role(log, prefix, "player") as (opened, run, stop):
        _Player(opened, run, slots).run(stop)


class _Player:
    def __init__(self, log: Log, config: RunConfig, num_slots: int) -> None:
        self._log = log
        self._config = config
        self._num_slots = num_slots
        self._producer = Producer(f"worker-player-{os.getpid()}")
        self._version: int | None = None
        self._playing: dict[str, Iterator[str]] = {}
        self._finished: list[FinishedEpisode] = []
        self._beaten_s = float("-inf")

    def run(self, stop: Stop) -> None:
        kinds = {EpisodeAssigned.kind, PolicyAcknowledged.kind}
        with ControlFollower(self._log, self._config.topic("control"), kinds) as follower:
            for _, event in follower.catch_up():
                self._see(event)
            while not stop.is_set() or self._playing:
                for _, event in follower.poll(0.0 if self._playing else 0.1):
                    self._see(event)
                changed = False
                for episode_id, turns in list(self._playing.items()):
                    outcome = next(turns, None)
                    if outcome:
                        del self._playing[episode_id]
                        self._finished.append(FinishedEpisode(episode_id, outcome))
                        changed = True
                pause_s = self._config.scheduler.lease_s / 4
                if self._version is not None and (changed or time.monotonic() - self._beaten_s > pause_s):
                    self._beat()
            self._beat(leaving=True)

    def _see(self, event: object) -> None:
        match event:
            case PolicyAcknowledged(policy_version=version):
                self._version = max(version, self._version or 0)
            case EpisodeAssigned(worker=worker, episode_id=str(name)) if worker == self._name():
                self._playing[name] = self._play(event)

    def _name(self) -> str:
        return f"{self._producer.id}/{self._producer.incarnation}"

    def _beat(self, leaving: bool = False) -> None:
        beat = Heartbeat(
            **self._producer.stamp(self._config.run_id),
            role="worker",
            num_slots=self._num_slots,
            running=tuple(self._playing),
            finished=tuple(self._finished[-256:]),
            leaving=leaving,
        )
        self._log.append(self._config.topic("liveness"), encode([beat]))
        self._beaten_s = time.monotonic()

    def _play(self, given: EpisodeAssigned) -> Iterator[str]:
        """The episode, a turn at a time; "" until its outcome."""
        luck = hashlib.sha256(str(given.episode_id).encode()).digest()
        ids = {"group_id": given.group_id, "episode_id": given.episode_id}
        version, num_turns, topic = self._version or 0, 1 + luck[0] % 3, self._config.topic("rollouts")
        seq = iter(range(100))

        def stamp():
            return self._producer.stamp(self._config.run_id, **ids, seq=next(seq))

        limits = {"context_limit": self._config.episode.context_limit, "turn_limit": self._config.episode.turn_limit}
        task = {"task_id": given.task_id, "attempt": given.attempt, "group_size": given.group_size}
        texts = {"model": "byte", "sampling": {}, "tools": "[]", "messages": "[]"}
        begin = EpisodeStarted(**stamp(), **task, **texts, **limits, policy_version=version)
        self._log.append(topic, encode([begin]))
        chain: array[int] = array("i")
        for turn in range(num_turns):
            time.sleep(TURN_S)
            tokens = [1 + byte % 250 for byte in luck[4 * turn : 4 * turn + 8]]
            generation = Generation(
                **stamp(),
                turn=turn,
                chain=0,
                prefix_len=len(chain),
                prefix_sha256=token_digest(chain),
                prompt_token_ids=tokens[:4],
                token_ids=tokens[4:],
                logprobs=[-5.0] * 4,
                policy_versions=(VersionRun(self._version or 0, 4),),
                text="some text",
                finish_reason="stop",
                latency_s=TURN_S,
            )
            chain.extend(tokens)
            call = ToolCall(**stamp(), turn=turn, call_id=f"c{turn}", name="bash", arguments="{}")
            self._log.append(topic, encode([generation, call]))
            answer = Observation(**stamp(), turn=turn, call_id=f"c{turn}", content="x" * 200, duration_s=0.0)
            self._log.append(topic, encode([answer]))
            yield ""
        solved = luck[1] % 2 == 0
        finished = EpisodeFinished(
            **stamp(),
            task_id=given.task_id,
            outcome="solved" if solved else "failed",
            reward=float(solved) + luck[2] / 1000,
            reward_components={},
            num_turns=num_turns,
            num_generated_tokens=4 * num_turns,
        )
        self._log.append(topic, encode([finished]))
        yield "solved" if solved else "failed"
