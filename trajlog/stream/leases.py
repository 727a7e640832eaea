"""What every worker runs, which slots of it are free, and whose word is too old: leases of episodes. Pure.

- A slot is taken by what its worker's newest heartbeat says it runs, and by assignments not finished since.
- An episode not mentioned by its worker for a lease (nor since this scheduler began, nor since an outage of the log) is
  silent, at once when its worker has left. The worker gets nothing more until it is heard of again.
- One that its worker finished is the assembler's to judge, unless its group was closed a lease ago without a verdict
  for it (the record of its end cannot be read).

An event changes what it names. The time before which no episode can be silent is kept, and free slots are counted as
they change, so that ten thousand slots cost a question no more than ten.
"""

from collections import Counter
from collections.abc import Container
from datetime import UTC, datetime, timedelta

import msgspec

from trajlog.schemas import Heartbeat

_ALWAYS = datetime.min.replace(tzinfo=UTC)
_NEVER = datetime.max.replace(tzinfo=UTC)


class EpisodeInFlight(msgspec.Struct):
    """An episode without a verdict."""

    episode_id: str
    group_id: str
    worker: str
    task_id: str
    mentioned: datetime
    """Append time of the assignment or of the newest heartbeat that names it."""
    finished: bool = False
    unusable: bool = False
    """Whether its group has counted it as lost."""


class _Worker(msgspec.Struct):
    num_slots: int
    running: frozenset[str]
    seen: datetime
    leaving: bool


class Leases:
    """Episodes in flight and the workers that have them."""

    def __init__(self, lease_s: float) -> None:
        self._lease = timedelta(seconds=lease_s)
        self._episodes: dict[str, EpisodeInFlight] = {}
        self._members: dict[str, set[str]] = {}
        """Per group the episodes of it that are in flight."""
        self._workers: dict[str, _Worker] = {}
        self._silenced: dict[str, datetime] = {}
        """Append time of the newest abandonment per worker."""
        self._taken: dict[str, set[str]] = {}
        """Per worker its episodes that are not finished, where there are any."""
        self._free: dict[str, int] = {}
        """Free slots of workers that have any and are not leaving; some may be silent for a lease."""
        self._all_heard_until = _ALWAYS
        """Before this time no episode is silent: a bound, so that most questions need not look at all of them."""
        self._began: datetime | None = None

    def __contains__(self, episode_id: str) -> bool:
        return episode_id in self._episodes

    def begin(self, now: datetime) -> None:
        """Give every worker a lease from `now` on to be heard."""
        self._began = now

    def assigned(self, episode: EpisodeInFlight) -> None:
        """An episode was given to its worker, when it was first mentioned."""
        self._episodes[episode.episode_id] = episode
        self._members.setdefault(episode.group_id, set()).add(episode.episode_id)
        self._taken.setdefault(episode.worker, set()).add(episode.episode_id)
        self._count_free(episode.worker)
        worker = self._workers.get(episode.worker)
        self._heard(_ALWAYS if worker is not None and worker.leaving else episode.mentioned)

    def judged(self, append_time: datetime, episode_id: str, *, abandoned: bool) -> EpisodeInFlight | None:
        """An episode got a verdict; None when it has one already (the first counts)."""
        episode = self._episodes.pop(episode_id, None)
        if episode is None:
            return None
        self._release(episode)
        self._members[episode.group_id].discard(episode_id)
        if not self._members[episode.group_id]:
            del self._members[episode.group_id]
        if abandoned:
            self._silenced[episode.worker] = append_time
        return episode

    def group_closed(self, append_time: datetime, group_id: str) -> None:
        """A closed group's finished episodes get their verdicts from the assembler within a lease, or never."""
        for episode in (self._episodes[name] for name in self._members.get(group_id, ())):
            if episode.finished:
                episode.mentioned = append_time
                self._heard(append_time)

    def heartbeat(self, append_time: datetime, event: Heartbeat) -> list[EpisodeInFlight]:
        """A worker was heard of; its episodes of which that is the first word that they ended in error."""
        running = frozenset(event.running)
        self._workers[event.producer] = _Worker(event.num_slots, running, append_time, event.leaving)
        for episode_id in running:
            if episode_id in self._episodes:
                self._episodes[episode_id].mentioned = append_time
        failed = []
        for finished in event.finished:
            episode = self._episodes.get(finished.episode_id)
            if episode is not None and not episode.finished:
                episode.finished = True
                self._release(episode)
                if finished.outcome == "error":
                    failed.append(episode)
        self._count_free(event.producer)
        self._heard(_ALWAYS if event.leaving else append_time)
        return failed

    def silent(self, now: datetime, closed: Container[str]) -> list[EpisodeInFlight]:
        """Episodes to be given up; `closed` are groups that have a verdict."""
        if now < self._all_heard_until:
            return []
        silent, heard_until = [], _NEVER
        for episode in self._episodes.values():
            if episode.finished and episode.group_id not in closed:
                continue  # the assembler judges it
            worker = self._workers.get(episode.worker)
            left = worker is not None and worker.leaving and not episode.finished
            until = max(episode.mentioned, self._began or episode.mentioned) + self._lease
            if left or now >= until:
                silent.append(episode)
            else:
                heard_until = min(heard_until, until)
        if not silent:
            self._all_heard_until = heard_until
        return silent

    def free_slots(self, now: datetime) -> Counter[str]:
        """Free slots per live worker that has any."""
        free = Counter[str]()
        for name, slots in self._free.items():
            seen = self._workers[name].seen
            heard = name not in self._silenced or seen > self._silenced[name]
            if heard and now < seen + self._lease:
                free[name] = slots
        return free

    def _release(self, episode: EpisodeInFlight) -> None:
        """The episode takes no slot any more, as far as assignments tell."""
        taken = self._taken.get(episode.worker, set())
        taken.discard(episode.episode_id)
        if not taken:
            self._taken.pop(episode.worker, None)
        self._count_free(episode.worker)

    def _count_free(self, name: str) -> None:
        worker = self._workers.get(name)
        if worker is None:
            return
        free = worker.num_slots - len(worker.running | self._taken.get(name, set()))
        if free > 0 and not worker.leaving:
            self._free[name] = free
        else:
            self._free.pop(name, None)

    def _heard(self, time: datetime) -> None:
        """An episode was last mentioned at this time (_ALWAYS: its worker is gone)."""
        if time != _ALWAYS:
            time += self._lease
        self._all_heard_until = min(self._all_heard_until, time)
