#!/usr/bin/env bash
# The images that compose.yaml, the Dockerfile and sandboxes start from, where no container registry answers.
# Each gets its real name, so that they are used unchanged:
#
#   debian:bookworm-slim   debootstrap from Debian's packages, with this machine's certificate authorities
#   python:3.11-slim       Debian's Python 3.11 on top of it
#   apache/kafka:VERSION   the broker's jars from Maven Central on top of it, configured like the original
#
# An image that is there already, or can be pulled, is taken. Run as root, with a Docker engine running.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
debian_image=debian:bookworm-slim
python_image=python:3.11-slim
kafka_version=$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/kafka-pom.xml")
kafka_image=apache/kafka:$kafka_version
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

have() {
    docker image inspect "$1" >/dev/null 2>&1 || timeout 120 docker pull -q "$1" >/dev/null 2>&1
}

build_debian() {
    local root=$scratch/root
    if ! command -v debootstrap >/dev/null; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
    fi
    debootstrap --variant=minbase --include=ca-certificates bookworm "$root" >"$scratch/debootstrap.log" 2>&1 ||
        { tail -n 20 "$scratch/debootstrap.log" >&2; return 1; }
    rm -f "$root"/var/cache/apt/archives/*.deb
    # A machine behind an own certificate authority trusts it through its bundle; so must its containers.
    cp -r /usr/local/share/ca-certificates/. "$root/usr/local/share/ca-certificates/"
    cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/ca-certificates.crt"
    local bundle=/etc/ssl/certs/ca-certificates.crt
    tar -C "$root" -c . | docker import \
        --change "ENV SSL_CERT_FILE=$bundle REQUESTS_CA_BUNDLE=$bundle PIP_CERT=$bundle" \
        --change 'CMD ["bash"]' - "$debian_image" >/dev/null
}

build_python() {
    docker build -q --force-rm --network host -t "$python_image" - >/dev/null <<DOCKERFILE
FROM $debian_image
RUN apt-get update -qq \\
 && apt-get install -y -qq --no-install-recommends python3 \\
 && rm -rf /var/lib/apt/lists/*
DOCKERFILE
}

build_kafka() {
    local context=$scratch/kafka jars
    jars=$(python3 "$here/kafka_broker.py" --jars)
    mkdir "$context"
    cp "$here"/kafka-image/* "$context/"
    cp -r "$jars" "$context/libs"
    docker build -q --force-rm --network host -t "$kafka_image" "$context" >/dev/null
}

have "$debian_image" || { echo "images: building $debian_image"; build_debian; }
have "$python_image" || { echo "images: building $python_image"; build_python; }
have "$kafka_image" || { echo "images: building $kafka_image"; build_kafka; }
echo "images: $debian_image, $python_image and $kafka_image are there"
