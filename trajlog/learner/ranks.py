"""The processes that train one adapter together, and what passes between them. One process is the case of one rank.

Rank 0 leads: it reads the log, and tells the others what it does by messages. The others follow (following.py).
Between the ranks go, over `device_group`: one sum of the adapter's gradients per optimizer step, and with a sharded
base the gathers of its layers; over `control` (gloo, host memory): messages, and each rank's few sums for the metrics.
"""

from dataclasses import dataclass, field
from typing import Any

import msgspec
import torch
import torch.distributed as dist
from safetensors.torch import load, save
from torch import Tensor


@dataclass(frozen=True)
class Message:
    """`kind` says what to do (following.py); numbers and texts by name, tensors by name on the CPU."""

    kind: str
    values: dict[str, Any] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)


@dataclass
class Ranks:
    """This process among `size`. `sharded`: each holds a part of the base (sharding.py), so all pass together."""

    rank: int = 0
    size: int = 1
    device_group: dist.ProcessGroup | None = None
    control: dist.ProcessGroup | None = None
    sharded: bool = False

    @property
    def leads(self) -> bool:
        return self.rank == 0

    def sum_gradients(self, flat: Tensor) -> None:
        """`flat` float32 [elements of the adapter] becomes its sum over ranks, in the same bits on each."""
        if self.size > 1:
            dist.all_reduce(flat, group=self.device_group)

    def gather(self, values: Tensor) -> Tensor:
        """`values` [M] of every rank, [ranks, M], float64 on the CPU."""
        mine = values.detach().to("cpu", torch.float64).contiguous()
        if self.size == 1:
            return mine[None]
        found = [torch.empty_like(mine) for _ in range(self.size)]
        dist.all_gather(found, mine, group=self.control)
        return torch.stack(found)

    def tell(self, message: Message) -> None:
        """From rank 0 to all others, which are in `hear`. Nothing on another rank: it was told."""
        if self.size == 1 or not self.leads:
            return
        head = msgspec.json.encode({"kind": message.kind, "values": message.values})
        body = save({name: tensor.detach().cpu().contiguous() for name, tensor in message.tensors.items()})
        dist.broadcast(torch.tensor([len(head), len(body)]), group=self.control, group_src=0)
        dist.broadcast(torch.frombuffer(bytearray(head + body), dtype=torch.uint8), group=self.control, group_src=0)

    def hear(self) -> Message:
        """The next message of rank 0; waits for as long as it takes. Raises RuntimeError when rank 0 has died."""
        sizes = torch.empty(2, dtype=torch.int64)
        dist.broadcast(sizes, group=self.control, group_src=0)
        content = torch.empty(int(sizes.sum()), dtype=torch.uint8)
        dist.broadcast(content, group=self.control, group_src=0)
        raw = content.numpy().tobytes()
        head = msgspec.json.decode(raw[: int(sizes[0])])
        return Message(head["kind"], head["values"], load(raw[int(sizes[0]) :]))
