-- One row per tool call found in a generation, as it was sampled. `arguments_json` is null where it is not JSON.
SELECT
    run_id, group_id, episode_id, seq, turn, call_id, name, arguments, TRY_CAST(arguments AS JSON) AS arguments_json,
    parse_error, producer AS worker, append_time
FROM events
WHERE kind = 'tool_call'
QUALIFY row_number() OVER (PARTITION BY episode_id, seq ORDER BY topic, "partition", "offset", "row") = 1
