"""From measured cost to what a load needs: computed, not run. Rollouts are of real size.

Assumed: an episode takes EPISODE_MIN minutes; a worker has SLOTS slots, and sends a heartbeat when an episode is
accepted, when one ends, and every BEAT_S seconds. BROKER_BYTES_PER_S is what three brokers take, a vendor's figure.
"""

import math
from collections.abc import Mapping
from itertools import count

Figures = Mapping[str, float]

EPISODE_MIN, SLOTS, BEAT_S = 10, 16, 15
BUSY = 0.7
"""Share of a core that a process is planned to use."""
BROKER_BYTES_PER_S = 600e6
CONTROL_EVENTS = 2.2
"""Events of .control per rollout: its assignment, its verdict, a share of its group's verdict and train step."""
FACTORS = (1, 10, 100, 1000)


def per_core(real: Figures, encoding: Figures, fold: Figures, num_events: int) -> dict[str, dict[str, float]]:
    """What one core does of each role, from a level of real size, a worker's encoding and the scheduling core."""
    of_scheduler = 2 * fold["heartbeat_us"] + fold["decide_us_many"] + CONTROL_EVENTS * fold["control_event_us"]
    microseconds = {
        "worker": encoding["struct_us_per_event"] + encoding["encode_us_per_event"] + real["producer_us"],
        "assembler": real["assembler_us"],
        "archiver": real["archiver_us"],
        "broker": real["broker_us"],
        "scheduler": of_scheduler / num_events,
    }
    return {
        name: {
            "us": spent,
            "events_per_s": 1e6 / spent,
            "mb_per_s": real["bytes_per_event"] / spent,
            "rollouts_per_min": 60e6 / spent / num_events,
        }
        for name, spent in microseconds.items()
        if spent
    }


def needs(real: Figures, cores: Mapping[str, Figures], fold: Figures, num_events: int) -> dict[str, dict[str, float]]:
    """What 1,000 rollouts a minute need, and FACTORS times as many."""
    found = {}
    for factor in FACTORS:
        per_min = 1000 * factor
        workers = per_min * EPISODE_MIN / SLOTS
        need = {f"{name}_cores": per_min / core["rollouts_per_min"] for name, core in cores.items()}
        need["scheduler_cores"] += workers / BEAT_S * fold["heartbeat_us"] / 1e6
        written = per_min / 60 * num_events * real["bytes_per_event"]
        need["events_per_s"] = per_min / 60 * num_events
        need["mb_per_s"] = written / 1e6
        need["broker_share"] = 3 * written / BROKER_BYTES_PER_S
        need["to_workers_mb_per_s"] = workers * per_min / 60 * fold["control_bytes_per_rollout"] / 1e6
        busiest = max(need["assembler_cores"], need["archiver_cores"])
        need["partitions"] = next(2**n for n in count() if 2**n >= max(4, math.ceil(busiest / BUSY)))
        need["assemblers"] = math.ceil(need["assembler_cores"] / BUSY)
        need["archivers"] = math.ceil(need["archiver_cores"] / BUSY)
        found[f"{per_min:,}"] = need
    return found
