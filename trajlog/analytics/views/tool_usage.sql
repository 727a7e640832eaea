-- One row per finished episode and tool that it ran, with how often. An episode that ran none has no row.
SELECT run_id, group_id, episode_id, task_id, debugger_arm, outcome, used.key AS tool, used.value AS num_calls
FROM (SELECT *, unnest(map_entries(tool_usage)) AS used FROM episodes)
