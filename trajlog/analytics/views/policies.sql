-- One row per policy version: when it was published, which engines serve it and since when.
WITH acknowledged AS (
    SELECT run_id, policy_version, count(DISTINCT engine) AS num_engines, min(append_time) AS served_since
    FROM control_events
    WHERE kind = 'policy_acknowledged'
    GROUP BY ALL
),
published AS (
    SELECT *
    FROM control_events
    WHERE kind = 'policy_published'
    QUALIFY row_number() OVER (PARTITION BY run_id, policy_version ORDER BY topic, "offset", "row") = 1
)
SELECT
    p.run_id, p.policy_version, p.epoch, p.step, p.uri, p.sha256, p.link, p.append_time AS published_at,
    coalesce(a.num_engines, 0) AS num_engines, a.served_since
FROM published AS p
LEFT JOIN acknowledged AS a USING (run_id, policy_version)
