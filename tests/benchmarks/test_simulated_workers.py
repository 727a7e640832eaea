"""What benchmarks/scale.py simulates: its encoded episodes are ones that the real folds take."""

from collections import Counter
from datetime import UTC, datetime
from uuid import uuid4

from benchmarks.simulated.episodes import GROUP_SIZE, SIZES, now_micros, templates
from benchmarks.simulated.slots import Slots
from trajlog.config import RunConfig
from trajlog.schemas import decode, new_id
from trajlog.stream.assembly import Assembly, GroupDecision, Ledger
from trajlog.stream.decoding import Decoder
from trajlog.stream.log import LogRecord


def test_a_group_of_simulated_episodes_is_sealed_and_every_id_is_its_own():
    kinds = templates(SIZES["small"], "scale")
    assembly, decoder, group_id, offset = Assembly(RunConfig(run_id="scale"), Ledger()), Decoder(), str(uuid4()), 0
    event_ids, seqs = set(), Counter()
    for member in range(GROUP_SIZE):
        episode_id = str(uuid4())
        for template in (template for batch in kinds[member % 2] for template in batch):
            ids = (new_id(), group_id, episode_id)
            record = template.patched(*map(str.encode, ids), now_micros())
            read = LogRecord("scale.rollouts", 0, offset, datetime.now(UTC), record.key, record.headers, record.value)
            for event in decode(record.headers, record.value).events():
                assert (event.event_id, event.group_id, event.episode_id) == ids
                seqs[event.seq] += 1
                event_ids.add(event.event_id)
            assembly.read(offset, read.append_time, decoder.batch(read))
            offset += 1
    assert set(seqs.values()) == {GROUP_SIZE}
    assert len(event_ids) == GROUP_SIZE * SIZES["small"].num_events
    (decision,) = assembly.decide(None)
    assert isinstance(decision, GroupDecision)
    assert (decision.reason, len(decision.members)) == ("full", GROUP_SIZE)


def test_every_slot_gets_an_episode_and_stays_busy():
    slots = Slots(1_000)
    slots.fill()
    num_slots = len(slots.busy)
    slots.play(600, per_look=4)
    assert (num_slots, len(slots.busy)) == (992, 992)  # 62 workers of 16
    assert slots.counts["assignment"] == 992 + 600
    assert slots.fold.decide(slots.now(), new_id) == []
