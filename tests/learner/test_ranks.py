"""Several processes train what one trains, and send no more than they must. CPU, gloo."""

import json

import pytest
import torch
from safetensors.torch import load_file

from tests.learner.rank_process import NUM_STEPS, SIZES, run_all

WAYS = [(sharding, size) for sharding in ("replicated", "sharded") for size in SIZES]


@pytest.fixture(scope="module")
def out(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ranks")
    run_all(folder)
    return folder


def told(out, sharding, size):
    return json.loads((out / f"{sharding}-{size}" / "told.json").read_text())


@pytest.mark.parametrize(("sharding", "size"), WAYS)
def test_any_number_of_ranks_gives_the_update_of_one(out, sharding, size):
    one, some = told(out, "replicated", 1)["metrics"], told(out, sharding, size)["metrics"]
    assert len(some) == NUM_STEPS
    for mine, theirs in zip(one, some, strict=True):
        for name in ("loss", "policy_loss", "bc_loss", "kl", "grad_norm", "entropy", "mismatch_kl", "num_tokens"):
            assert theirs[name] == pytest.approx(mine[name], rel=2e-3, abs=1e-6), name
    gradients = [load_file(out / f"{way}" / "gradient.safetensors") for way in ("replicated-1", f"{sharding}-{size}")]
    for name, gradient in gradients[0].items():
        torch.testing.assert_close(gradients[1][name], gradient, rtol=1e-4, atol=1e-8)
    assert max(gradient.abs().max() for gradient in gradients[0].values()) > 1e-4


@pytest.mark.parametrize(("sharding", "size"), WAYS)
def test_all_ranks_end_with_the_same_bits(out, sharding, size):
    first, *others = [load_file(out / f"{sharding}-{size}" / f"adapter-{rank}.safetensors") for rank in range(size)]
    assert all(torch.equal(first[key], other[key]) for other in others for key in first)


@pytest.mark.parametrize("size", SIZES)
def test_an_update_reduces_the_adapters_elements_and_no_more(out, size):
    for sharding in ("replicated", "sharded"):
        found = told(out, sharding, size)
        reduced = {name: n for name, n in found["elements"].items() if "reduce" in name}
        assert reduced == ({} if size == 1 else {"allreduce_": found["adapter_elements"]})
        assert size == 1 or found["calls"]["allreduce_"] == 1


@pytest.mark.parametrize(("size", "passes"), [(2, 12), (4, 9)])
def test_a_sharded_pass_gathers_each_layer_once_from_every_rank(out, size, passes):
    """Passes of one rank: for the response in two microbatches, 1. For the policy's microbatches, 3 of one group and 1
    of the other, that is 2 + 1 on two ranks and 1 + 1 on four, each with reference, forward and backward. For the two
    anchors, 1 forward and backward."""
    found = told(out, "sharded", size)
    assert passes == 1 + 3 * {2: 3, 4: 2}[size] + 2
    sums = 7 + 1 + 2  # each rank's sums and checksum; log ratios of the two responses of a group
    assert found["elements"]["allgather_"] - sums == passes * found["layer_elements"] // size
    assert told(out, "replicated", size)["elements"]["allgather_"] == sums
