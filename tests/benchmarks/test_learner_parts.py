"""What benchmarks/learner/ is made of: the published length mix, its packs, and how time is accounted for."""

from collections import Counter

import pytest
import torch

from benchmarks.learner.parts import floors, lengths, packs, peft_side, shape, trace, workload


def test_the_mix_is_the_same_for_the_same_seed_and_has_twelve_trajectories_in_each_of_eight_groups():
    mix = lengths.realistic(0)
    assert mix == lengths.realistic(0)
    assert mix != lengths.realistic(1)
    assert Counter(t.group for t in mix.trajectories) == dict.fromkeys(range(8), 12)
    assert max(t.num_tokens for t in mix.trajectories) <= lengths.CONTEXT


def test_long_draws_fit_the_context_as_often_as_the_published_audit_says():
    drawn = [lengths.realistic(seed) for seed in range(60)]
    for outcome, share in (("solved", 0.963), ("failed", 0.494)):
        kept = sum(t.outcome == outcome for mix in drawn for t in mix.trajectories)
        long = sum(mix.too_long[outcome] for mix in drawn)
        assert kept / (kept + long) == pytest.approx(share, abs=0.03)
    solved = [t.num_tokens for mix in drawn for t in mix.trajectories if t.outcome == "solved"]
    assert sum(n <= 6_144 for n in solved) / len(solved) == pytest.approx(0.712 / 0.963, abs=0.03)
    assert all(t.num_tokens > 6_000 for mix in drawn for t in mix.trajectories if t.outcome == "failed")


def test_turns_lie_apart_behind_the_prompt_and_are_37_percent_of_what_follows_it():
    for trajectory in lengths.realistic(0).trajectories:
        ends = lengths.PROMPT_TOKENS
        for start, stop in trajectory.turns:
            assert ends <= start < stop <= trajectory.num_tokens
            ends = stop
        assert len(trajectory.turns) <= lengths.TURN_LIMIT
        share = trajectory.num_generated / (trajectory.num_tokens - lengths.PROMPT_TOKENS)
        assert share == pytest.approx(0.37, abs=0.02)


def test_packs_hold_every_trajectory_once_and_train_its_turns():
    mix = lengths.realistic(3, scale=1 / 64)
    made = packs.packs(mix, 256, 512, "cpu", seed=3)
    assert sorted(n for pack in made for n in pack.lengths) == sorted(t.num_tokens for t in mix.trajectories)
    assert sum(len(pack.positions) for pack in made) == sum(t.num_generated for t in mix.trajectories)
    # The weights of a step's tokens sum to one: means over tokens, responses and groups.
    assert float(sum(pack.weights.sum() for pack in made)) == pytest.approx(1.0, rel=1e-5)
    for pack in made:
        starts = torch.tensor([0, *pack.lengths]).cumsum(0)
        assert not set(pack.positions.tolist()) & set(starts.tolist())
        assert torch.equal(pack.document, torch.bucketize(pack.positions, starts, right=True) - 1)


def test_the_five_document_pack_fills_the_context():
    assert sum(workload.FIVE) == lengths.CONTEXT


def test_a_projection_of_the_measured_packs_themselves_gives_their_times():
    made = packs.packs(lengths.realistic(0, scale=1 / 16), 1_024, 512, "cpu")
    seconds = [1e-4 * p.num_tokens + 1e-7 * sum(n * n for n in p.lengths) for p in made]
    measured = list(zip(made, seconds, strict=True))
    assert workload.projected(measured[:5], made) == pytest.approx(sum(seconds), rel=1e-6)


def test_the_models_arithmetic_is_that_of_the_published_budget():
    qwen = shape.QWEN3_CODER_30B_A3B
    assert qwen.parameters == pytest.approx(30.53e9, rel=1e-3)
    document = [16_384]
    assert shape.attention_flops(qwen, document) / 1e12 == pytest.approx(105.6 + 263.9, abs=0.1)
    assert shape.expert_flops(qwen, 16_384) / 1e12 == pytest.approx(2 * 59.4, abs=0.1)
    assert shape.dense_flops(qwen, 16_384) / 1e12 == pytest.approx(2 * 30.1, abs=0.1)
    assert shape.head_flops(qwen, 16_384) / 1e12 == pytest.approx(2 * 10.2, abs=0.1)


def test_peft_layouts_put_experts_slowest_in_a_and_fastest_in_b():
    a, b = torch.arange(12).view(2, 3, 2), torch.arange(24).view(2, 4, 3)
    assert peft_side.to_peft("0.A_down", a).tolist() == a.reshape(6, 2).tolist()
    flat = peft_side.to_peft("0.B_down", b)
    assert flat.shape == (4, 6)
    assert flat[1].tolist() == [3, 15, 4, 16, 5, 17]  # row 1: rank 0 of both experts, then rank 1, then rank 2
    assert torch.equal(peft_side.from_peft("0.A_down", peft_side.to_peft("0.A_down", a), 2), a)
    assert torch.equal(peft_side.from_peft("0.B_down", flat, 2), b)


def _kernel(name: str, start: float, length: float, correlation: int) -> dict:
    return {"cat": "kernel", "name": name, "ts": start, "dur": length, "args": {"correlation": correlation}}


def test_a_traces_time_goes_to_named_ranges_classes_idle_and_other_and_sums_to_the_span():
    events = [
        {"cat": "user_annotation", "name": "head", "ts": 0.0, "dur": 10.0},
        {"cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": 5.0, "dur": 1.0, "args": {"correlation": 1}},
        {"cat": "cuda_driver", "name": "cuLaunchKernel", "ts": 20.0, "dur": 1.0, "args": {"correlation": 2}},
        _kernel("nvjet_sm90", 100.0, 30.0, 1),
        _kernel("nvjet_sm90", 130.0, 20.0, 2),
        _kernel("cudnn_generated_flash_bprop", 160.0, 40.0, 3),
        _kernel("mystery", 200.0, 10.0, 4),
    ]
    found = trace.accounts_of_trace(events)
    assert found.span_s == pytest.approx(110e-6)
    expected = {"head": 30e-6, "dense GEMM": 20e-6, "attention": 40e-6, "other": 10e-6, "idle": 10e-6}
    assert found.by_class == pytest.approx(expected)
    assert found.accounted == pytest.approx(90 / 110)
    assert found.kernels[0] == ("attention", "cudnn_generated_flash_bprop", pytest.approx(40e-6), 1)


def test_kernels_that_overlap_are_not_counted_twice():
    events = [_kernel("nvjet", 0.0, 10.0, 1), _kernel("_combine", 5.0, 10.0, 2)]
    assert trace.accounts_of_trace(events).by_class == pytest.approx(
        {"dense GEMM": 10e-6, "element-wise": 5e-6, "idle": 0.0}
    )


def test_a_trace_without_kernels_is_refused():
    with pytest.raises(ValueError, match="no kernels"):
        trace.accounts_of_trace([])


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("cudnn_generated_fort_native_sdpa_sm90_flash_fprop_wgmma_f16_knob_7", "attention"),
        (
            "void cutlass::device_kernel<cutlass::gemm::kernel::GemmUniversal<cutlass::gemm::GroupProblemShape<",
            "grouped GEMM",
        ),
        (
            "_ZN7cutlass13device_kernelIN2at4cuda6detail25enable_3x_kernel_for_sm9xINS_4gemm17GroupProblemShape",
            "grouped GEMM",
        ),
        ("void at::cuda::detail::prepare_grouped_gemm_data<", "grouped GEMM"),
        ("nvjet_sm90_tst_320x128_64x3_1x2_h_bz_coopB_TNT", "dense GEMM"),
        ("void at::native::vectorized_elementwise_kernel<4", "element-wise"),
        ("_choose", "element-wise"),
        ("Memset (Device)", "element-wise"),
    ],
)
def test_kernels_are_classed_by_name(name, title):
    assert trace.kernel_class(name) == title


def test_floors_of_a_16k_document_are_those_of_the_ceilings():
    qwen = shape.QWEN3_CODER_30B_A3B
    found = floors.floors(qwen, [16_384], 16_384, adapter_parameters=315_000_000)
    # 105.6 TFLOP forward in 48 layers, 2.5 times that backward in 47
    assert found["attention"].seconds == pytest.approx((105.6 + 263.9 * 47 / 48) * 1e12 / 790e12, rel=1e-3)
    assert found["optimizer"].seconds == pytest.approx(315e6 * 46 / 4.8e12)
    assert found["element-wise"].seconds == pytest.approx(0.064, abs=0.003)
    # experts' weights, 1.21 GB a layer, twice; S x (4 x 2048 + 6 x 768) rows in and out
    assert found["grouped GEMM"].bytes == pytest.approx(48 * (2 * 1.208e9 + 131_072 * 12_800 * 2), rel=0.02)
    assert {title: floor.bound for title, floor in found.items()} == {
        "attention": "arithmetic",
        "grouped GEMM": "arithmetic",
        "dense GEMM": "arithmetic",
        "element-wise": "traffic",
        "head": "arithmetic",
        "optimizer": "traffic",
    }


def test_a_floor_is_the_longer_of_arithmetic_and_traffic():
    assert floors.Floor(790e12, 2.4e12).seconds == pytest.approx(1.0)
    assert floors.Floor(79e12, 2.4e12).seconds == pytest.approx(0.5)
