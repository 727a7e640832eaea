-- One row per answer of the environment to a tool call, or to a turn without one (call_id is null).
SELECT
    run_id, group_id, episode_id, seq, turn, call_id, name, content, truncated_bytes, is_error, exit_code, duration_s,
    tests_passed, tests_failed, format_error, changed_code, debugger_state, producer AS worker, append_time
FROM events
WHERE kind = 'observation'
QUALIFY row_number() OVER (PARTITION BY episode_id, seq ORDER BY topic, "partition", "offset", "row") = 1
