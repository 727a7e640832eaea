"""Times of this project's step on the packs that the baselines ran, feature by feature, and parity with them."""

import importlib

import torch

from trajlog.kernels.attention import AttentionBackend, FlashAttention4

from .adapters import relative_l2
from .baselines import KL_FORMS, WITH_ATTENTION, WITH_KL, Expected, gradients_of
from .objective import POLICY, backward
from .packs import Pack
from .product_side import ProductSide
from .table import PEFT, Table
from .timing import release, timed

NAME, FLASH4 = "trajlog", "FlashAttention 4"


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
    """FlashAttention 4, fast and deterministic, where it is installed; whether equal runs give equal bits."""
    first = next(iter(forms.values()))
    _repeats(side, type(side.model.attention).__name__, first, table)
    if reason := missing():
        table.fact(FLASH4, f"not installed: {reason}")
        return
    for backend in (FlashAttention4(), FlashAttention4(deterministic=True)):
        name = f"{NAME}, {FLASH4}" + (" deterministic" if backend.deterministic else "")
        with side.attending(backend):
            for form, pack in forms.items():
                table.title(f"{form}, {name}")
                timed_row(side, name, form, pack, table, repeats)
                if form in KL_FORMS and not backend.deterministic:
                    timed_row(side, name, form, pack, table, repeats, reference_kl=True)
            _repeats(side, name, first, table)
        release()


def attention_adapters(side: ProductSide, forms: dict[str, Pack], table: Table, repeats: int) -> None:
    """The same with adapters on q, k, v and output projections too, by cuDNN and by FlashAttention 4."""
    backends: list[tuple[str, AttentionBackend]] = [(NAME, side.model.attention)]
    if missing() is None:
        backends.append((f"{NAME}, {FLASH4}", FlashAttention4()))
    for without, backend in backends:
        with side.attending(backend):
            for form, pack in forms.items():
                table.title(f"{form}, adapters on attention too")
                name = without + WITH_ATTENTION
                table.add(form, name, pack, timed(lambda p=pack: backward(side, p), repeats), WITH_ATTENTION)
                if (form, without) in table.rows:
                    table.fact(f"{form}: {name}, dearer by", f"{table.dearer(form, name, without):+.1%}")
        release()


def timed_row(
    side: ProductSide, name: str, form: str, pack: Pack, table: Table, repeats: int, *, reference_kl: bool = False
) -> None:
    """One row, and how it compares with the same work by cuDNN."""
    passes = WITH_KL if reference_kl else ""
    table.add(form, name + passes, pack, timed(lambda: backward(side, pack, reference_kl), repeats), passes)
    table.fact(f"{form}: {name}{passes}, against cuDNN", f"{table.dearer(form, name + passes, NAME + passes):+.1%}")


def missing() -> str | None:
    """Why FlashAttention 4 cannot be measured here, or None."""
    try:
        importlib.import_module("flash_attn.cute.interface")
    except ImportError as error:
        return str(error)
    return None if torch.cuda.is_available() else "it needs a GPU"


def _repeats(side: ProductSide, name: str, pack: Pack, table: Table) -> None:
    first, second = (gradients_of(side, pack)[1] for _ in range(2))
    equal = all(torch.equal(first[key], second[key]) for key in first)
    table.fact(f"{name}: two runs", "equal bits" if equal else f"relative L2 {relative_l2(second, first):.2g}")
