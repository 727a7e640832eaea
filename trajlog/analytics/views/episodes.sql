-- One row per episode. `outcome` is 'running' until it finished, 'abandoned' when its worker fell silent instead.
WITH started AS (
    SELECT *
    FROM events
    WHERE kind = 'episode_started'
    QUALIFY row_number() OVER (PARTITION BY episode_id ORDER BY topic, "partition", "offset", "row") = 1
),
finished AS (
    SELECT *
    FROM events
    WHERE kind = 'episode_finished'
    QUALIFY row_number() OVER (PARTITION BY episode_id ORDER BY topic, "partition", "offset", "row") = 1
),
sampled AS (
    SELECT
        episode_id, count(*) AS num_turns, sum(num_tokens) AS num_generated_tokens,
        sum(num_prompt_tokens) AS num_prompt_tokens, max(chain) + 1 AS num_chains,
        min(policy_version_min) AS policy_version_min, max(policy_version_max) AS policy_version_max,
        sum(latency_s) AS sampling_s
    FROM generations
    GROUP BY episode_id
),
called AS (
    SELECT episode_id, count(*) AS num_tool_calls, count(parse_error) AS num_parse_errors
    FROM tool_calls
    GROUP BY episode_id
)
SELECT
    coalesce(s.run_id, f.run_id) AS run_id,
    coalesce(s.group_id, f.group_id) AS group_id,
    episode_id,
    coalesce(s.task_id, f.task_id) AS task_id,
    s.task_category AS category,
    s.task_difficulty AS difficulty,
    s.task_debugger AS debugger,
    coalesce(s.debugger_arm, f.debugger_arm) AS debugger_arm,
    s.attempt,
    coalesce(f.outcome, CASE v.verdict WHEN 'abandoned' THEN 'abandoned' ELSE 'running' END) AS outcome,
    f.reward,
    v.verdict,
    coalesce(f.num_turns, g.num_turns, 0) AS num_turns,
    coalesce(f.num_generated_tokens, g.num_generated_tokens, 0)::BIGINT AS num_generated_tokens,
    coalesce(g.num_prompt_tokens, 0)::BIGINT AS num_prompt_tokens,
    coalesce(g.num_chains, 0) AS num_chains,
    coalesce(c.num_tool_calls, 0) AS num_tool_calls,
    coalesce(c.num_parse_errors, 0) AS num_parse_errors,
    s.policy_version,
    g.policy_version_min,
    g.policy_version_max,
    f.reward_components,
    f.tests_passed,
    f.tests_failed,
    f.tests_passed_before,
    f.changed_code,
    f.localized,
    f.debugger_fits,
    f.ending,
    f.guard,
    f.flags,
    f.tool_usage,
    f.error,
    g.sampling_s,
    s.model,
    s.tool_format,
    coalesce(s.producer, f.producer) AS worker,
    s.append_time AS started_at,
    f.append_time AS finished_at,
    epoch_us(f.append_time - s.append_time) / 1e6 AS duration_s
FROM started AS s
FULL JOIN finished AS f USING (episode_id)
LEFT JOIN sampled AS g USING (episode_id)
LEFT JOIN called AS c USING (episode_id)
LEFT JOIN verdicts AS v USING (episode_id)
