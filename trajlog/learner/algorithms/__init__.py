"""Algorithms by name, one file each. `LearnerConfig.algorithm` chooses."""

from trajlog.learner.algorithms import dr_grpo, grpo, tis, weighted_grpo
from trajlog.learner.algorithms.base import Algorithm, TokenTerms

ALGORITHMS: dict[str, Algorithm] = {
    module.ALGORITHM.name: module.ALGORITHM for module in (grpo, dr_grpo, weighted_grpo, tis)
}

__all__ = ["ALGORITHMS", "Algorithm", "TokenTerms"]
