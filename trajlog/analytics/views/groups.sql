-- One row per group: what the scheduler opened it for, its episodes, its verdict ('open' before it has one), and the
-- step that trained it.
WITH members AS (
    SELECT
        group_id, any_value(run_id) AS run_id, any_value(task_id) AS task_id, count(*) AS num_episodes,
        count(finished_at) AS num_finished, count(*) FILTER (outcome = 'solved') AS num_solved,
        count(*) FILTER (verdict = 'sealed') AS num_sealed,
        avg(reward) AS reward_mean, stddev_pop(reward) AS reward_std, min(started_at) AS started_at
    FROM episodes
    GROUP BY group_id
),
assigned AS (
    SELECT
        group_id, any_value(run_id) AS run_id, any_value(task_id) AS task_id, count(*) AS num_assigned,
        any_value(group_size) AS group_size, any_value(curriculum_phase) AS curriculum_phase,
        any_value(success_estimate) AS success_estimate
    FROM control_events
    WHERE kind = 'episode_assigned'
    GROUP BY group_id
),
judged AS (
    SELECT *
    FROM control_events
    WHERE kind = 'group_verdict'
    QUALIFY row_number() OVER (PARTITION BY group_id ORDER BY topic, "offset", "row") = 1
),
sealed AS (
    SELECT *
    FROM events
    WHERE kind = 'group_sealed'
    QUALIFY row_number() OVER (PARTITION BY group_id ORDER BY topic, "partition", "offset", "row") = 1
),
consumed AS (
    SELECT unnest(groups_trained) AS group_id, step AS trained_step, NULL AS learner_rejected FROM train_steps
    UNION ALL
    SELECT r.group_id, NULL, r.reason FROM (SELECT unnest(groups_rejected) AS r FROM train_steps)
)
SELECT
    coalesce(m.run_id, a.run_id, j.run_id, s.run_id) AS run_id,
    group_id,
    coalesce(m.task_id, a.task_id, j.task_id, s.task_id) AS task_id,
    coalesce(j.verdict, 'open') AS verdict,
    j.reason,
    a.group_size,
    a.curriculum_phase,
    a.success_estimate,
    coalesce(a.num_assigned, 0) AS num_assigned,
    coalesce(m.num_episodes, 0) AS num_episodes,
    coalesce(m.num_finished, 0) AS num_finished,
    coalesce(m.num_solved, 0) AS num_solved,
    len(s.members) AS num_members,
    coalesce(list_avg([r.reward FOR r IN s.members]), m.reward_mean) AS reward_mean,
    coalesce(list_stddev_pop([r.reward FOR r IN s.members]), m.reward_std) AS reward_std,
    s.policy_version_min,
    s.policy_version_max,
    c.trained_step,
    c.learner_rejected,
    s.members,
    s.tokens_sha256,
    j.numbers,
    j.logical_time,
    m.started_at,
    j.append_time AS judged_at
FROM members AS m
FULL JOIN assigned AS a USING (group_id)
FULL JOIN judged AS j USING (group_id)
FULL JOIN sealed AS s USING (group_id)
LEFT JOIN consumed AS c USING (group_id)
WHERE group_id IS NOT NULL
