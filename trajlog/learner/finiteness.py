"""Which groups made an optimizer step's loss or gradient not finite. Pure.

A loss is a group's own. Gradients are added up, so their norm stays what one group made of it: with norms of 1.2, inf,
inf after three groups the second is at fault, and of the third nothing is known but its loss.
"""

from collections.abc import Sequence

from torch import Tensor

from trajlog.errors import ModelError
from trajlog.learner.examples import Example


def groups_at_fault(checks: Tensor, anchors: Sequence[Example]) -> tuple[int, ...]:
    """Groups that a step which is not finite must do without, rising; all when each by itself was finite.

    `checks` [ranks, groups + 1, 2], the anchors last: the loss of each on each rank, and the norm of the rank's
    gradient once it was added. A group whose gradient hides behind another's is found in the step without that one.
    Raises ModelError when the anchors alone are at fault: a step's anchors are the same in every try.
    """
    finite = checks.isfinite()
    losses, lost = ~finite[..., 0], ~finite[..., 1]
    lost[:, 1:] &= finite[:, :-1, 1]
    *groups, cloning = (losses | lost).any(0).tolist()
    if cloning and not any(groups):
        tasks = ", ".join(sorted({anchor.task_id for anchor in anchors if anchor.task_id})) or "not named in it"
        raise ModelError(
            "the loss or gradient of this step's behaviour-cloning examples is not finite, so no groups can make it: "
            f"take the example at fault out of learner.bc_corpus (tasks of the {len(anchors)} drawn: {tasks}), then "
            "start the learner again."
        )
    return tuple(group for group, faulty in enumerate(groups) if faulty) or tuple(range(len(groups)))
