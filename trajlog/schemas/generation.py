"""generation: one sampled assistant turn, with the exact tokens and the sampler's log-probabilities."""

import hashlib
from array import array
from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from trajlog.schemas.base import Count, Event, Float32, Index, Name, Seconds, Sha256, Topic

TokenIds = tuple[Index, ...]
Logprobs = tuple[Float32 | None, ...]


class VersionRun(msgspec.Struct, frozen=True):
    """`num_tokens` successive generated tokens were sampled by `policy_version`."""

    policy_version: Count
    num_tokens: Count


class Generation(Event, frozen=True, kw_only=True):
    kind: ClassVar[str] = "generation"
    topic: ClassVar[Topic] = "rollouts"

    turn: Index
    chain: Index
    """A chain is one token sequence that is only appended to; where the template forced a rewrite, the next begins."""
    prefix_len: Count
    """Tokens of the chain before this turn's new prompt tokens."""
    prefix_sha256: Sha256
    """token_digest of those tokens."""
    prompt_token_ids: TokenIds
    """Context added since the chain's last token, int32 [P]."""
    token_ids: TokenIds
    """Generated tokens, the stop token included when it was sampled, int32 [T]."""
    logprobs: Logprobs
    """The sampler's log-probability of each generated token, float32 [T]; None = not scored, never 0.0."""
    policy_versions: tuple[VersionRun, ...]
    """Runs of versions over token_ids, in order; their num_tokens add up to T."""
    text: str
    finish_reason: Literal["stop", "length", "abort"]
    latency_s: Seconds
    routed_experts_uri: Name | None = None
    """Side file of the routers' choices from position prefix_len - 1 on (docs/delivery.md, "The worker"); None: not
    asked for, or not known of every position."""
    routed_experts_sha256: Sha256 | None = None

    def check(self) -> None:
        if len(self.logprobs) != len(self.token_ids):
            raise ValueError(f"logprobs has {len(self.logprobs)} entries for {len(self.token_ids)} token_ids")
        total = sum(run.num_tokens for run in self.policy_versions)
        if total != len(self.token_ids):
            raise ValueError(f"policy_versions cover {total} tokens of {len(self.token_ids)} token_ids")


def token_digest(token_ids: Sequence[int]) -> str:
    """SHA-256 (hex) over token ids as little-endian int32."""
    buffer = array("i", token_ids)
    assert buffer.itemsize == 4
    return hashlib.sha256(buffer.tobytes()).hexdigest()
