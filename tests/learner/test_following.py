import pytest

from tests.learner.test_update import policy_model
from trajlog.learner.following import lead
from trajlog.learner.policy import POLICY
from trajlog.learner.ranks import Ranks
from trajlog.learner.update import make_optimizer


def test_alone_nothing_is_handed_over(monkeypatch):
    policy = policy_model()
    optimizer = make_optimizer(list(policy.lora.parameters(POLICY).values()), 1e-2, 0.0)
    for owner, name in ((Ranks, "tell"), (type(policy.lora), "export")):
        monkeypatch.setattr(owner, name, lambda *args: pytest.fail("copies adapters"))
    ranks = Ranks()
    lead(policy, optimizer, ranks)
    assert not ranks.sharded
