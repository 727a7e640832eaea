-- One row per sampled turn, with its tokens. An event that was sent twice counts once: the first in offset order.
SELECT
    run_id, group_id, episode_id, seq, turn, chain, prefix_len, prefix_sha256,
    prompt_token_ids, token_ids, logprobs, policy_versions,
    list_min([r.policy_version FOR r IN policy_versions]) AS policy_version_min,
    list_max([r.policy_version FOR r IN policy_versions]) AS policy_version_max,
    len(prompt_token_ids) AS num_prompt_tokens,
    len(token_ids) AS num_tokens,
    list_avg(logprobs) AS mean_logprob,
    text, finish_reason, latency_s, routed_experts_uri, routed_experts_sha256, producer AS worker, append_time
FROM events
WHERE kind = 'generation'
QUALIFY row_number() OVER (PARTITION BY episode_id, seq ORDER BY topic, "partition", "offset", "row") = 1
