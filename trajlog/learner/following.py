"""What ranks do together, from rank 0's side (`lead`, then Steps, then `dismiss`) and from the others' (`follow`).

    rank 0                                   the others, in `follow`
    load_base(path, run, ranks)              the same (sharding.py)
    lead(policy, optimizer, ranks)           take adapters and moments over
    Step(...)  .add(batch)  .finish()        the same Step, with their share of the microbatches
    dismiss(ranks)                           return

Rank 0 owns log, checkpoints and publishing; the others touch no file. After `finish` all hold the same adapter and
moments, so rank 0's checkpoint is everybody's. A Step that rank 0 never finishes is dropped by all at its next one.
"""

import torch

from trajlog.config import LearnerConfig
from trajlog.learner.algorithms import ALGORITHMS
from trajlog.learner.determinism import set_deterministic
from trajlog.learner.policy import POLICY, REFERENCE, PolicyModel
from trajlog.learner.ranks import Message, Ranks
from trajlog.learner.sharding import shard_base
from trajlog.learner.tensors import anchors_of, batch_of
from trajlog.learner.update import Step, make_optimizer


def lead(policy: PolicyModel, optimizer: torch.optim.Optimizer, ranks: Ranks) -> None:
    """Rank 0, once, after adapters and optimizer were made or restored: all ranks get them.

    A base that is to be sharded, and is not yet, is cut up then.
    """
    adapters = {name: policy.lora.shapes[name] for name in (POLICY, REFERENCE) if name in policy.lora.shapes}
    values = {"adapters": adapters}
    tensors = {f"{name}/{key}": t for name in adapters for key, t in policy.lora.export(name).items()}
    moments = optimizer.state_dict()["state"]
    tensors |= {f"moments/{index}/{key}": t for index, state in moments.items() for key, t in state.items()}
    ranks.tell(Message("adapters", values, tensors))
    if ranks.sharded:
        shard_base(policy, ranks)


def dismiss(ranks: Ranks) -> None:
    """Rank 0, at the end."""
    ranks.tell(Message("dismiss"))


def follow(policy: PolicyModel, config: LearnerConfig, ranks: Ranks) -> None:
    """The others: take part in what rank 0 does, until it dismisses them.

    `config` must be rank 0's. Raises RuntimeError when rank 0 has died, ModelError where rank 0's Step raises it.
    """
    set_deterministic(config.deterministic)
    algorithm = ALGORITHMS[config.algorithm]
    while (message := ranks.hear()).kind != "dismiss":
        if message.kind == "adapters":
            optimizer = _take_over(policy, config, message)
            if ranks.sharded:
                shard_base(policy, ranks)
        elif message.kind == "step":
            step = Step(policy, optimizer, algorithm, config, message.values["kl_coef"], ranks)
        elif message.kind == "groups":
            step.add(batch_of(message.tensors, **message.values))
        elif message.kind == "finish":
            step.finish(anchors_of(message.tensors))


def _take_over(policy: PolicyModel, config: LearnerConfig, message: Message) -> torch.optim.Optimizer:
    for name, (rank, alpha) in message.values["adapters"].items():
        prefix = f"{name}/"
        tensors = {key.removeprefix(prefix): t for key, t in message.tensors.items() if key.startswith(prefix)}
        policy.lora.load(name, tensors, rank=rank, alpha=alpha)
    optimizer = make_optimizer(policy.lora.train_only(POLICY), config.learning_rate, config.weight_decay)
    moments: dict[int, dict[str, torch.Tensor]] = {}
    for key, tensor in message.tensors.items():
        kind, _, rest = key.partition("/")
        if kind == "moments":
            index, _, name = rest.partition("/")
            moments.setdefault(int(index), {})[name] = tensor
    if moments:
        optimizer.load_state_dict({"state": moments, "param_groups": optimizer.state_dict()["param_groups"]})
    return optimizer
