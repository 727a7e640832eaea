-- Control events that count: those of an epoch below the highest seen earlier in the log are a zombie's, and nobody
-- listens to them (scheduler: assignments and abandoned verdicts; learner: steps and versions).
SELECT * EXCLUDE (scheduler_epoch, learner_epoch)
FROM (
    SELECT
        *,
        coalesce(max(epoch) FILTER (kind = 'scheduler_started') OVER earlier, -1) AS scheduler_epoch,
        coalesce(max(epoch) FILTER (kind = 'learner_started') OVER earlier, -1) AS learner_epoch
    FROM events
    WHERE kind IN (
        'run_started', 'scheduler_started', 'learner_started', 'episode_assigned', 'episode_verdict', 'group_verdict',
        'policy_published', 'policy_acknowledged', 'train_step'
    )
    WINDOW earlier AS (
        PARTITION BY topic ORDER BY "offset", "row" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
)
WHERE CASE kind
    WHEN 'scheduler_started' THEN epoch > scheduler_epoch
    WHEN 'learner_started' THEN epoch > learner_epoch
    WHEN 'episode_assigned' THEN epoch >= scheduler_epoch
    WHEN 'episode_verdict' THEN epoch IS NULL OR epoch >= scheduler_epoch
    WHEN 'policy_published' THEN epoch >= learner_epoch
    WHEN 'train_step' THEN epoch >= learner_epoch
    ELSE true
END
