"""Several processes train what one trains, and send no more than they must. CPU, gloo."""

import json

import pytest
import torch
from safetensors.torch import load_file

from tests.learner.rank_process import NUM_STEPS, RUNS, run_all

WAYS = [
    (name, sharding, size)
    for name, (_, _, sizes, _) in RUNS.items()
    for sharding in ("replicated", "sharded")
    for size in sizes
]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    run_all(folder)
    return folder


def told(out, name, sharding, size):
    return json.loads((out / f"{name}-{sharding}-{size}" / "told.json").read_text())


@pytest.mark.parametrize(("name", "sharding", "size"), WAYS)
def test_any_number_of_ranks_gives_the_update_of_one(out, name, sharding, size):
    one, some = told(out, name, "replicated", 1)["metrics"], told(out, name, sharding, size)["metrics"]
    assert len(some) == NUM_STEPS
    for mine, theirs in zip(one, some, strict=True):
        assert theirs.get("routing_agreement") == mine.get("routing_agreement")
        for key in ("loss", "policy_loss", "bc_loss", "kl", "grad_norm", "entropy", "mismatch_kl", "num_tokens"):
            assert theirs[key] == pytest.approx(mine[key], rel=2e-3, abs=1e-6), key
    ways = f"{name}-replicated-1", f"{name}-{sharding}-{size}"
    gradients = [load_file(out / way / "gradient.safetensors") for way in ways]
    for key, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][key], gradient, rtol=1e-4, atol=1e-8)
    assert max(gradient.abs().max() for gradient in gradients[0].values()) > 1e-4


@pytest.mark.parametrize(("name", "sharding", "size"), WAYS)
def test_all_ranks_end_with_the_same_bits(out, name, sharding, size):
    folder = out / f"{name}-{sharding}-{size}"
    first, *others = [load_file(folder / f"adapter-{rank}.safetensors") for rank in range(size)]
    assert all(torch.equal(first[key], other[key]) for other in others for key in first)


@pytest.mark.parametrize(("name", "sharding", "size"), WAYS)
def test_a_group_that_is_not_finite_on_any_rank_is_named_and_moves_none(out, name, sharding, size):
    """Its one microbatch lies on the last rank. None has moved: all end with the same bits, and rank 0 has not."""
    assert told(out, name, sharding, size)["spoilt"] == {"applied": False, "moved": False, "at_fault": [1]}


@pytest.mark.parametrize(("name", "sharding", "size"), WAYS)
def test_an_update_reduces_the_adapters_elements_and_no_more(out, name, sharding, size):
    found = told(out, name, sharding, size)
    reduced = {kind: n for kind, n in found["elements"].items() if "reduce" in kind}
    assert reduced == ({} if size == 1 else {"allreduce_": found["adapter_elements"]})
    assert size == 1 or found["calls"]["allreduce_"] == 1


@pytest.mark.parametrize(
    ("name", "size", "passes"), [("dense", 2, 12), ("dense", 4, 9), ("moe", 2, 12), ("moe-read", 2, 12)]
)
def test_a_sharded_pass_gathers_each_layer_once_from_every_rank(out, name, size, passes):
    """Passes of one rank: for the response in two microbatches, 1. For the policy's microbatches, 3 of one group and 1
    of the other, that is 2 + 1 on two ranks and 1 + 1 on four, each with reference, forward and backward. For the two
    anchors, 1 forward and backward."""
    found = told(out, name, "sharded", size)
    assert passes == 1 + 3 * {2: 3, 4: 2}[size] + 2
    checks = 2 * 3  # loss and norm of two groups and of the anchors
    sums = 9 + 1 + checks + 2  # each rank's sums and checksum; log ratios of the two responses of a group
    assert found["elements"]["allgather_"] - sums == passes * found["layer_elements"] // size
    assert told(out, name, "replicated", size)["elements"]["allgather_"] == sums


@pytest.mark.parametrize("rank", [0, 1])
def test_a_rank_that_reads_its_parts_holds_one_whole_layer_and_parts_of_those_before(out, rank):
    found = json.loads((out / f"deep-{rank}.json").read_text())
    layer, parts = found["layer"], found["parts"]
    assert len(found["held"]) == len(parts) == 6
    for number, held in enumerate(found["held"]):
        assert layer <= held <= layer + 1.1 * sum(parts[:number])
    assert found["at_end"] == pytest.approx(sum(parts) + found["outside"], rel=0.05)
    assert parts == pytest.approx([found["layer_with_room"] / 2] * 6, rel=0.05)
    assert "laid out for adapters of rank 8 when it was sharded: set learner.lora_rank" in found["refused"]
