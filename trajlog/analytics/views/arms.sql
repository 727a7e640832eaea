-- One row per arm (debugger offered or withheld) and debugger preference of the tasks: what the debugger changes.
-- Errors of the infrastructure are left out. `tool_usage` is the mean number of calls an episode makes, by tool.
WITH played AS (
    SELECT * FROM episodes WHERE debugger_arm IS NOT NULL AND finished_at IS NOT NULL AND outcome <> 'error'
),
sizes AS (
    SELECT run_id, debugger_arm, debugger, count(*) AS num_episodes FROM played GROUP BY ALL
),
used AS (
    SELECT run_id, debugger_arm, debugger, map_from_entries(list((tool, mean_calls) ORDER BY tool)) AS tool_usage
    FROM (
        SELECT p.run_id, p.debugger_arm, p.debugger, u.tool, sum(u.num_calls) / any_value(s.num_episodes) AS mean_calls
        FROM played AS p
        JOIN tool_usage AS u USING (episode_id)
        JOIN sizes AS s ON s.run_id = p.run_id AND s.debugger_arm = p.debugger_arm
            AND s.debugger IS NOT DISTINCT FROM p.debugger
        GROUP BY ALL
    )
    GROUP BY ALL
)
SELECT
    p.run_id, p.debugger_arm, p.debugger,
    count(*) AS num_episodes,
    count(DISTINCT p.task_id) AS num_tasks,
    avg((p.outcome = 'solved')::INT) AS solve_rate,
    avg(p.num_turns) AS mean_turns,
    avg(p.num_turns) FILTER (p.outcome = 'solved') AS mean_turns_solved,
    avg(p.num_generated_tokens) AS mean_generated_tokens,
    avg(p.reward) AS mean_reward,
    any_value(u.tool_usage) AS tool_usage
FROM played AS p
LEFT JOIN used AS u ON u.run_id = p.run_id AND u.debugger_arm = p.debugger_arm
    AND u.debugger IS NOT DISTINCT FROM p.debugger
GROUP BY p.run_id, p.debugger_arm, p.debugger
