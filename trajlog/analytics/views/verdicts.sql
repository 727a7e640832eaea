-- What became of each episode: its first verdict that counts.
SELECT
    run_id, group_id, episode_id, verdict, reason, task_id, outcome, reward, debugger_fits, epoch AS scheduler_epoch,
    producer, append_time
FROM control_events
WHERE kind = 'episode_verdict'
QUALIFY row_number() OVER (PARTITION BY episode_id ORDER BY topic, "offset", "row") = 1
