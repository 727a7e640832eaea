-- One row per optimizer step.
SELECT
    run_id, epoch, step, policy_version,
    len(groups_trained) AS num_groups_trained,
    len(groups_rejected) AS num_groups_rejected,
    metrics['loss'] AS loss,
    metrics['reward_mean'] AS reward_mean,
    groups_trained, groups_rejected, metrics, offsets, batch_sha256, duration_s, producer AS learner, append_time
FROM control_events
WHERE kind = 'train_step'
QUALIFY row_number() OVER (PARTITION BY run_id, step ORDER BY topic, "offset", "row") = 1
