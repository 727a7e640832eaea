"""Times of the two baselines on the same packs, and how far apart their gradients are."""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.checkpoint import checkpoint

from .adapters import relative_l2
from .expert_loop import LoopExperts
from .objective import POLICY, Side, backward
from .packs import Pack
from .peft_side import PeftSide, expert_wrappers, plain_logprobs
from .table import LOOP, PEFT, Table
from .timing import Timing, release, timed

PARITY_FORMS = ("one, all scored", "five, all scored")
KL_FORMS = ("one, turns", "mix, median")
"""Forms on which gradients are compared and attention kernels tried, and those timed with the reference's pass."""
WITH_KL = " + reference KL"
WITH_ATTENTION = ", attention adapters"


@dataclass(frozen=True)
class Expected:
    """What the PEFT side found on a pack, on the host: loss, log-probabilities, gradients, the experts it chose."""

    loss: float
    logprobs: Tensor
    gradients: dict[str, Tensor]
    routing: list[Tensor]


def run(
    side: PeftSide,
    adapter: dict[str, Tensor],
    reference: dict[str, Tensor] | None,
    forms: dict[str, Pack],
    table: Table,
    repeats: int,
) -> dict[str, Expected]:
    """Every form: one layer of the loop times the layers plus the head, and the whole PEFT stack.

    With `reference`, the loop also with that adapter's pass. Returns what the PEFT side found on the forms of
    PARITY_FORMS.
    """
    expected = {}
    _print_load(side, next(iter(forms.values())), table)
    for form, pack in forms.items():
        table.title(f"{form}: documents {list(pack.lengths)}")
        of_loop = {"policy": first_layer(adapter)}
        if reference is not None and form in KL_FORMS:
            of_loop["reference"] = first_layer(reference)
        layer_time(side, of_loop, form, pack, table, repeats)
        table.add(form, PEFT, pack, timed(lambda p=pack: backward(side, p), repeats))
        if form in PARITY_FORMS:
            expected[form] = expectation(side, form, pack, table)
        if form == PARITY_FORMS[0]:
            flash_attention(side, form, pack, expected[form], table, repeats)
        if form in KL_FORMS:
            table.add(form, PEFT + WITH_KL, pack, timed(lambda p=pack: backward(side, p, True), repeats), WITH_KL)
        release()
    return expected


def expectation(side: PeftSide, form: str, pack: Pack, table: Table) -> Expected:
    """What parity is measured against, and how far two equal runs of it are apart."""
    loss, gradients = gradients_of(side, pack)
    again = gradients_of(side, pack)[1]
    table.fact(f"{form}: {PEFT} twice, gradients, relative L2", f"{relative_l2(again, gradients):.2g}")
    with torch.no_grad():
        logprobs = side.logprobs(pack, POLICY).cpu()
    return Expected(loss, logprobs, gradients, [chosen.cpu() for chosen in side.routing(pack)])


def flash_attention(side: PeftSide, form: str, pack: Pack, expected: Expected, table: Table, repeats: int) -> None:
    """The PEFT side on FlashAttention 2 (elsewhere than on a GPU: plain attention), and how its gradients differ."""
    backend, name = (
        (SDPBackend.FLASH_ATTENTION, "FlashAttention 2") if torch.cuda.is_available() else (SDPBackend.MATH, "plain")
    )
    with sdpa_kernel([backend]):  # around the backward pass too, which runs the layers again
        loss, gradients = gradients_of(side, pack)
        error = relative_l2(gradients, expected.gradients)
        table.fact(f"{form}: {PEFT} with {name}, gradients, relative L2", f"{error:.2g}")
        table.fact(f"{form}: losses", f"{expected.loss:.6g} and with {name} {loss:.6g}")
        table.add(form, f"{PEFT}, {name}", pack, timed(lambda: backward(side, pack), repeats))


def layer_time(
    side: PeftSide, adapters: dict[str, dict[str, Tensor]], form: str, pack: Pack, table: Table, repeats: int
) -> None:
    """One layer of the loop, checkpointed as the other's are, against the same layer of the PEFT side.

    `adapters` of that layer by name; with a `reference`, also a row with its pass before the policy's.
    """
    inner = side.model.model
    layer = inner.layers[0]
    x, rope = side.layer_input(pack)
    generator = torch.Generator(x.device).manual_seed(1)
    dy = torch.randn(x.shape, device=x.device, generator=generator).to(x.dtype) * 0.01

    def forward(source: Tensor) -> Tensor:
        return checkpoint(layer, source, attention_mask=None, position_embeddings=rope, use_reentrant=False)

    def step() -> None:
        forward(x.detach().requires_grad_()).backward(dy)

    _zero(side)
    step()
    theirs = {key: grad.clone() for key, grad in side.gradients(layers=1).items()}
    wrapped = layer.mlp.experts
    weights = {name: wrapper.get_param().detach() for name, wrapper in expert_wrappers(layer).items()}
    loops = {name: LoopExperts(weights["gate_up"], weights["down"], one) for name, one in adapters.items()}
    states = x.detach()[0].requires_grad_()

    def head() -> Tensor:
        return plain_logprobs(states[pack.positions - 1], side.model.lm_head.weight, pack.tokens[pack.positions]).sum()

    def reference_step() -> None:
        layer.mlp.experts = loops["reference"]
        with torch.no_grad():
            forward(x)
        layer.mlp.experts = loops["policy"]
        step()

    def reference_head() -> None:
        with torch.no_grad():
            head()
        head().backward()

    layer.mlp.experts = loops["policy"]
    try:
        step()
        ours = {f"0.{key}": grad for key, grad in loops["policy"].gradients().items()}
        table.fact(f"{form}: loop against PEFT, one layer, gradients, relative L2", f"{relative_l2(ours, theirs):.2g}")
        of_layer = timed(step, repeats)
        with_reference = timed(reference_step, repeats) if "reference" in loops else None
    finally:
        layer.mlp.experts = wrapped
    of_head = timed(lambda: head().backward(), repeats)
    table.add(form, LOOP, pack, _stacked(of_layer, of_head, len(inner.layers)))
    table.fact(f"{form}: plain head alone, s", round(of_head.median_s, 4))
    if with_reference is not None:
        whole = _stacked(with_reference, timed(reference_head, repeats), len(inner.layers))
        table.add(form, LOOP + WITH_KL, pack, whole, WITH_KL)
    _zero(side)


def _stacked(of_layer: Timing, of_head: Timing, num_layers: int) -> Timing:
    """The whole stack's time from one layer's and the head's."""
    total = tuple(num_layers * s + of_head.median_s for s in of_layer.all_s)
    median = num_layers * of_layer.median_s + of_head.median_s
    return Timing(median, total, max(of_layer.peak_gib, of_head.peak_gib))


def attention_adapters(side: PeftSide, forms: dict[str, Pack], table: Table, repeats: int) -> None:
    """The whole PEFT stack with adapters on q, k, v and output projections too, against that without."""
    for form, pack in forms.items():
        name = PEFT + WITH_ATTENTION
        table.title(f"{form}, {name}")
        table.add(form, name, pack, timed(lambda p=pack: backward(side, p), repeats), WITH_ATTENTION)
        table.fact(f"{form}: {name}, dearer by", f"{table.dearer(form, name, PEFT):+.1%}")
        release()
    _zero(side)


def first_layer(adapter: dict[str, Tensor]) -> dict[str, Tensor]:
    return {key.removeprefix("0."): value for key, value in adapter.items() if key.startswith("0.")}


def sampled(side: Side, forms: dict[str, Pack]) -> dict[str, Pack]:
    """Rollout log-probabilities for the packs, from the policy itself and seeded noise."""
    made = {}
    for number, (form, pack) in enumerate(forms.items()):
        with torch.no_grad():
            made[form] = pack.sampled(side.logprobs(pack, POLICY), seed=number)
    return made


def gradients_of(side: Side, pack: Pack) -> tuple[float, dict[str, Tensor]]:
    """Loss and adapter gradients of one pass, on the host, so that they do not count as anybody's peak."""
    _zero(side)
    loss = float(backward(side, pack))
    return loss, {key: grad.cpu() for key, grad in side.gradients().items()}


def _zero(side: Side) -> None:
    for parameter in side.parameters():
        parameter.grad = None


def _print_load(side: PeftSide, pack: Pack, table: Table) -> None:
    """How unevenly the random routers spread the tokens: the first, middle and last layer."""
    routed = side.routing(pack)
    for number in sorted({0, len(routed) // 2, len(routed) - 1}):
        counts = torch.bincount(routed[number].flatten(), minlength=side.num_experts).float()
        ratio = float(counts.max() / counts.mean())
        text = f"max/mean {ratio:.2f}, cv {float(counts.std() / counts.mean()):.2f}, empty {int((counts == 0).sum())}"
        table.fact(f"routing of layer {number}", text)
