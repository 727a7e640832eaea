#!/usr/bin/env bash
# What the original image does at start: KAFKA_* into server.properties, format the storage, run the broker.
set -euo pipefail
java=(java -cp '/opt/kafka/libs/*' -Dorg.slf4j.simpleLogger.defaultLogLevel=warn)
said=$("${java[@]}" kafka.docker.KafkaDockerWrapper setup \
    --default-configs-dir /etc/kafka/docker \
    --mounted-configs-dir /mnt/shared/config \
    --final-configs-dir /opt/kafka/config 2>&1) ||
    grep -q "already formatted" <<<"$said" || { echo "$said" >&2; exit 1; }
# shellcheck disable=SC2086 # KAFKA_HEAP_OPTS holds several words
exec "${java[@]}" ${KAFKA_HEAP_OPTS:--Xmx1g} \
    -Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info \
    kafka.Kafka /opt/kafka/config/server.properties
