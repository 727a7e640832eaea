"""Times of this project's step on the packs that the baselines ran, feature by feature, and parity with them."""

import importlib

import torch

from trajlog.kernels.attention import FlashAttention4

from .adapters import relative_l2
from .baselines import KL_FORMS, WITH_KL, Expected, gradients_of
from .objective import POLICY, backward
from .packs import Pack
from .product_side import ProductSide
from .table import PEFT, Table
from .timing import release, timed

NAME = "trajlog"


def run(side: ProductSide, forms: dict[str, Pack], expected: dict[str, Expected], table: Table, repeats: int) -> None:
    """Every form with adapters on the experts; parity on the forms that the baselines left figures for."""
    for form, pack in forms.items():
        table.title(f"{form}: documents {list(pack.lengths)}")
        if form in expected:
            parity(side, form, pack, expected[form], table)
        table.add(form, NAME, pack, timed(lambda p=pack: backward(side, p), repeats))
        if form in KL_FORMS:
            table.add(form, NAME + WITH_KL, pack, timed(lambda p=pack: backward(side, p, True), repeats), WITH_KL)
        release()


def parity(side: ProductSide, form: str, pack: Pack, expected: Expected, table: Table) -> None:
    """Against the PEFT side: with its routing replayed, and with this side's own."""
    ours = side.routing(pack)
    same = sum(
        float((a.sort(-1).values == b.to(a.device).sort(-1).values).float().mean())
        for a, b in zip(ours, expected.routing, strict=True)
    ) / len(ours)
    table.fact(f"{form}: routing equal to {PEFT}'s, share of choices", f"{same:.4f}")
    with side.replaying(expected.routing):
        _compare(side, f"{form}: routing replayed", pack, expected, table)
    _compare(side, f"{form}: own routing", pack, expected, table)


def _compare(side: ProductSide, label: str, pack: Pack, expected: Expected, table: Table) -> None:
    loss, gradients = gradients_of(side, pack)
    with torch.no_grad():
        logprobs = side.logprobs(pack, POLICY).cpu()
    difference = (logprobs - expected.logprobs).abs().mean()
    table.fact(
        f"{label}, against {PEFT}",
        f"gradients relative L2 {relative_l2(gradients, expected.gradients):.2g}, loss {loss:.6g} and "
        f"{expected.loss:.6g}, log-probabilities mean |difference| {float(difference):.2g} nats",
    )


def attention_kernels(side: ProductSide, forms: dict[str, Pack], table: Table, repeats: int) -> None:
    """FlashAttention-4, fast and deterministic, where it is installed; whether equal runs give equal bits."""
    first = next(iter(forms.values()))
    _repeats(side, type(side.model.attention).__name__, first, table)
    try:
        importlib.import_module("flash_attn.cute.interface")
    except ImportError as error:
        table.fact("FlashAttention 4", f"not measured: {error}")
        return
    for backend in (FlashAttention4(), FlashAttention4(deterministic=True)):
        name = f"{NAME}, FlashAttention 4" + (" deterministic" if backend.deterministic else "")
        with side.attending(backend):
            for form, pack in forms.items():
                table.title(f"{form}, {name}")
                table.add(form, name, pack, timed(lambda p=pack: backward(side, p), repeats))
                table.fact(f"{form}: {name}, against cuDNN", f"{table.dearer(form, name, NAME):+.1%}")
            _repeats(side, name, first, table)
    release()


def _repeats(side: ProductSide, name: str, pack: Pack, table: Table) -> None:
    first, second = (gradients_of(side, pack)[1] for _ in range(2))
    equal = all(torch.equal(first[key], second[key]) for key in first)
    table.fact(f"{name}: two runs", "equal bits" if equal else f"relative L2 {relative_l2(second, first):.2g}")


def attention_adapters(side: ProductSide, forms: dict[str, Pack], table: Table, repeats: int) -> None:
    """The same with adapters on q, k, v and output projections too."""
    for form, pack in forms.items():
        table.title(f"{form}, adapters on attention too")
        name = f"{NAME}, attention adapters"
        table.add(form, name, pack, timed(lambda p=pack: backward(side, p), repeats))
        table.fact(f"{form}: attention adapters cost", f"{table.dearer(form, name, NAME):+.1%}")
