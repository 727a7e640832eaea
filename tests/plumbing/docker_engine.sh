#!/usr/bin/env bash
# A Docker engine on a bare Debian machine, for tests. Run as root.
#
#   docker_engine.sh start PIDFILE   install what is missing, start dockerd unless an engine answers
#   docker_engine.sh stop PIDFILE    end the dockerd that start began; an engine found running stays
set -euo pipefail

WAIT_S=60

install_missing() {
    local packages=()
    command -v dockerd >/dev/null || packages+=(docker.io)
    command -v iptables >/dev/null || packages+=(iptables)
    docker compose version >/dev/null 2>&1 || command -v docker-compose >/dev/null || packages+=(docker-compose)
    if ((${#packages[@]})); then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
    fi
}

start() {
    local pidfile=$1 log=$1.log
    install_missing
    if docker info >/dev/null 2>&1; then
        echo "docker engine: one answers already"
        return
    fi
    # setsid: an interrupt typed at the terminal reaches the caller, which stops the engine itself.
    setsid dockerd >"$log" 2>&1 </dev/null &
    echo $! >"$pidfile"
    for ((waited = 0; waited < WAIT_S; waited++)); do
        if docker info >/dev/null 2>&1; then
            echo "docker engine: started (pid $(cat "$pidfile"))"
            return
        fi
        if ! kill -0 "$(cat "$pidfile")" 2>/dev/null; then break; fi
        sleep 1
    done
    echo "docker engine: dockerd did not answer; the end of $log:" >&2
    tail -n 30 "$log" >&2
    stop "$pidfile"
    return 1
}

stop() {
    local pidfile=$1 pid
    if [[ ! -f $pidfile ]]; then return; fi
    pid=$(cat "$pidfile")
    rm -f "$pidfile"
    kill "$pid" 2>/dev/null || return 0
    for ((waited = 0; waited < WAIT_S * 2; waited++)); do
        kill -0 "$pid" 2>/dev/null || return 0
        sleep 0.5
    done
    kill -9 "$pid" 2>/dev/null || true
}

case ${1-} in
    start | stop) "$1" "${2:?a file for the process id}" ;;
    *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
