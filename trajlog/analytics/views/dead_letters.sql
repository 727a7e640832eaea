-- Records that could not be decoded, with their bytes and the reason.
SELECT
    topic, "partition", "offset", quarantine_reason AS reason, quarantine_headers AS headers, quarantine_key AS key,
    quarantine_value AS value, append_time
FROM events
WHERE kind = 'quarantine'
