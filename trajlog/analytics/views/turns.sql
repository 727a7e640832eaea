-- One row per turn: what was sampled, what was called, what came of it.
WITH calls AS (
    SELECT episode_id, turn, count(*) AS num_tool_calls, list(name ORDER BY seq) AS tools,
        count(parse_error) AS num_parse_errors
    FROM tool_calls
    GROUP BY ALL
),
answers AS (
    SELECT episode_id, turn, count(*) AS num_observations, count(*) FILTER (is_error) AS num_errors,
        sum(duration_s) AS tool_s, sum(octet_length(encode(content)) + truncated_bytes) AS observation_bytes,
        last(tests_passed ORDER BY seq) AS tests_passed, last(tests_failed ORDER BY seq) AS tests_failed
    FROM observations
    GROUP BY ALL
)
SELECT
    g.run_id, g.group_id, g.episode_id, g.turn, g.chain, g.policy_version_min, g.policy_version_max,
    g.num_prompt_tokens, g.num_tokens, g.mean_logprob, g.text, g.finish_reason, g.latency_s,
    coalesce(c.num_tool_calls, 0) AS num_tool_calls,
    coalesce(c.tools, []) AS tools,
    coalesce(c.num_parse_errors, 0) AS num_parse_errors,
    coalesce(a.num_observations, 0) AS num_observations,
    coalesce(a.num_errors, 0) AS num_errors,
    a.tool_s, a.observation_bytes, a.tests_passed, a.tests_failed, g.append_time
FROM generations AS g
LEFT JOIN calls AS c USING (episode_id, turn)
LEFT JOIN answers AS a USING (episode_id, turn)
