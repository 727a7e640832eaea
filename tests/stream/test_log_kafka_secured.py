"""The log on a broker that demands logins and certificates: what works, and what is said when it does not."""

from __future__ import annotations

import io
import logging
import os
import re
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka.admin import ACLOperation, ResourceType
from plumbing.kafka_broker import BrokerUnavailable
from plumbing.secured_kafka import GUEST, PASSWORD, USER, Authority, SecuredKafka
from rich.console import Console

from tests.stream.archive_events import archived, run_config, wait_until
from tests.stream.conformance.reading import number_of, numbered, poll_until
from tests.stream.roles import WITHIN_S
from trajlog import up
from trajlog.config import config_to_json
from trajlog.errors import ConfigError
from trajlog.stream import kafka_client, kafka_reader, kafka_transaction
from trajlog.stream.archiver import archive_location
from trajlog.stream.log import Reader, TopicPartition
from trajlog.stream.open import open_log

pytestmark = pytest.mark.kafka
ROOT = Path(__file__).parents[2]
WRONG = "wrong-canary-password"


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecuredKafka]:
    try:
        broker = SecuredKafka(tmp_path_factory.mktemp("certificates"))
    except BrokerUnavailable as error:
        pytest.fail(str(error), pytrace=False)
    with broker:
        yield broker


class Settings:
    """The TRAJLOG_KAFKA_* of this test's process and its children."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.set()

    def set(self, **values: object) -> None:
        """Exactly these; None leaves one out."""
        for name in [name for name in os.environ if name.startswith("TRAJLOG_KAFKA_")]:
            self._monkeypatch.delenv(name)
        for name, value in values.items():
            if value is not None:
                self._monkeypatch.setenv(f"TRAJLOG_KAFKA_{name}", str(value))


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Settings:
    return Settings(monkeypatch)


def login(broker: SecuredKafka, mechanism: str = "SCRAM-SHA-512", **changed: object) -> dict[str, object]:
    return {
        "SECURITY_PROTOCOL": "SASL_SSL",
        "SASL_MECHANISM": mechanism,
        "USERNAME": USER,
        "PASSWORD": PASSWORD,
        "CA_FILE": broker.authority.certificate,
    } | changed


def use(url: str, topic: str, group: str) -> None:
    """Everything that the roles do with a log: topics, appends, a member, a transaction, offsets, a plain reader."""
    with open_log(url) as log:
        log.create_topics({topic: 1})
        log.append(topic, [numbered("a", 0)])
        with log.group_reader([topic], group) as member:
            assert [number_of(record) for record in poll_until(member, 1)] == [0]
            with log.transaction(member) as transaction:
                transaction.append(topic, [numbered("a", 1)])
                transaction.commit_offsets(group, {TopicPartition(topic, 0): 1})
        assert log.committed(group, [topic]) == {TopicPartition(topic, 0): 1}
        with log.reader([topic], "beginning") as reader:
            assert [number_of(record) for record in poll_until(reader, 2)] == [0, 1]


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_a_login_over_tls_does_all_that_a_run_needs_and_its_password_is_in_no_log(
    secured: SecuredKafka,
    settings: Settings,
    kafka_prefix: str,
    mechanism: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    settings.set(**login(secured, mechanism))
    with caplog.at_level(logging.DEBUG):
        use(secured.url, f"{kafka_prefix}.events", f"{kafka_prefix}.group")
    assert "kafka" in {record.name.partition(".")[0] for record in caplog.records}
    assert PASSWORD not in caplog.text


def test_a_certificate_of_ours_is_a_login(secured: SecuredKafka, settings: Settings, kafka_prefix: str) -> None:
    certificate, key = secured.client
    settings.set(SECURITY_PROTOCOL="SSL", CA_FILE=secured.authority.certificate, CERT_FILE=certificate, KEY_FILE=key)
    use(secured.mutual_url, f"{kafka_prefix}.events", f"{kafka_prefix}.group")


def refusal(url: str) -> str:
    started = time.monotonic()
    with pytest.raises(ConfigError) as refused:
        open_log(url)
    assert time.monotonic() - started < 5.0
    message = str(refused.value)
    assert "\n" not in message
    assert WRONG not in message
    assert PASSWORD not in message
    return message


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-512"])
def test_a_wrong_password_or_user_is_said_at_once_and_in_one_line(
    secured: SecuredKafka, settings: Settings, mechanism: str
) -> None:
    for changed in ({"PASSWORD": WRONG}, {"USERNAME": "nobody", "PASSWORD": WRONG}):
        settings.set(**login(secured, mechanism, **changed))
        message = refusal(secured.url)
        assert f"refuses the login of user '{changed.get('USERNAME', USER)}' by {mechanism}" in message
        assert "Correct TRAJLOG_KAFKA_USERNAME and TRAJLOG_KAFKA_PASSWORD" in message


def test_certificates_that_are_not_trusted_are_named_with_the_setting_that_helps(
    secured: SecuredKafka, settings: Settings, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path, "stranger")
    for ca_file in (None, stranger.certificate):
        settings.set(**login(secured, CA_FILE=ca_file))
        assert "is not trusted (unable to get local issuer certificate). Set TRAJLOG_KAFKA_CA_FILE to" in refusal(
            secured.url
        )
    settings.set(**login(secured))
    other_name = secured.url.replace("127.0.0.1", "localhost")
    assert "is not for that name" in refusal(other_name)
    settings.set(SECURITY_PROTOCOL="SSL", CA_FILE=secured.authority.certificate)
    misnamed = refusal(secured.misnamed_url)
    assert re.search(r"sends clients to localhost:\d+ \(its advertised.listeners\), but .*not for that name", misnamed)
    certificate, key = stranger.sign("client", "DNS:client")
    tls = {"SECURITY_PROTOCOL": "SSL", "CA_FILE": secured.authority.certificate}
    for ours in ({}, {"CERT_FILE": certificate, "KEY_FILE": key}):
        settings.set(**tls, **ours)
        assert "Set TRAJLOG_KAFKA_CERT_FILE and TRAJLOG_KAFKA_KEY_FILE to one whose authority" in refusal(
            secured.mutual_url
        )


def test_a_protocol_that_is_not_the_listeners_is_named(secured: SecuredKafka, settings: Settings) -> None:
    settings.set()
    assert "it may demand TLS (SSL or SASL_SSL); check that TRAJLOG_KAFKA_SECURITY_PROTOCOL" in refusal(secured.url)
    settings.set(SECURITY_PROTOCOL="SSL", CA_FILE=secured.authority.certificate)
    assert "it may demand a login (SASL_SSL)" in refusal(secured.url)
    certificate, key = secured.client
    settings.set(**login(secured, CERT_FILE=certificate, KEY_FILE=key))
    assert "takes no logins. Set TRAJLOG_KAFKA_SECURITY_PROTOCOL=SSL" in refusal(secured.mutual_url)
    settings.set(**login(secured))
    without_tls = f"kafka://127.0.0.1:{secured.own_port}"
    assert "without TLS. Set TRAJLOG_KAFKA_SECURITY_PROTOCOL to PLAINTEXT or SASL_PLAINTEXT" in refusal(without_tls)
    settings.set(SECURITY_PROTOCOL="SASL_PLAINTEXT", SASL_MECHANISM="SCRAM-SHA-256", USERNAME=USER, PASSWORD=PASSWORD)
    assert "Set TRAJLOG_KAFKA_SECURITY_PROTOCOL=PLAINTEXT" in refusal(without_tls)


def test_the_roles_that_up_starts_inherit_its_login_and_neither_events_nor_output_nor_files_hold_it(
    secured: SecuredKafka, settings: Settings, kafka_prefix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three real roles; the others, which need a model, are started in the same way (children.Child)."""
    roles = ("scheduler", "assembler", "archiver")
    monkeypatch.setattr(up, "ROLES", roles)
    password_file = tmp_path / "password"
    password_file.write_text(f"{PASSWORD}\n")
    settings.set(**login(secured, PASSWORD=None, PASSWORD_FILE=password_file))
    config = run_config(kafka_prefix)
    run_dir, output = tmp_path / "runs" / "secured", io.StringIO()
    run = up.Run(config, secured.url, run_dir, Console(file=output, width=200), num_slots=1, engine_port=0)
    logs = {role: run_dir / "logs" / f"{role}.log" for role in roles}
    said = {role: f"{role} of run {config.run_id} on {secured.url}" for role in roles}
    archive = archive_location(run_dir)

    def started() -> bool:
        """All roles have read the run's settings from the log, and the archiver has written."""
        heard = all(path.exists() and said[role] in path.read_text() for role, path in logs.items())
        return heard and any(archive.glob("_delta_log/*1.json"))

    def interrupt_once_started() -> None:
        try:
            wait_until(started, timeout_s=WITHIN_S)
        finally:
            run.stop.set()

    watch = threading.Thread(target=interrupt_once_started)
    watch.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run.play()
    finally:
        run.stop.set()
        watch.join()
    assert started()
    (stored,) = archived(archive, "SELECT config FROM a WHERE kind = 'run_started'")[0]
    assert stored == config_to_json(config)
    assert PASSWORD not in output.getvalue()
    assert not [path for path in run_dir.rglob("*") if path.is_file() and PASSWORD.encode() in path.read_bytes()]
    folders = (run_dir.parent, run_dir, archive, run_dir / "logs")
    assert {stat.S_IMODE(path.stat().st_mode) for path in folders} == {0o700}


def test_the_command_line_prints_one_line_for_a_wrong_password(secured: SecuredKafka, settings: Settings) -> None:
    settings.set(**login(secured, PASSWORD=WRONG))
    command = [sys.executable, "-m", "trajlog", "tail", "--log", secured.url]
    done = subprocess.run(command, capture_output=True, text=True, timeout=WITHIN_S, check=False)
    assert done.returncode == 1
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {secured.bootstrap} refuses the login of user '{USER}'")
    assert WRONG not in line


def test_what_the_docs_say_that_a_runs_user_needs_is_enough_and_what_it_lacks_is_named(
    secured: SecuredKafka, settings: Settings, kafka_prefix: str
) -> None:
    settings.set(**login(secured, "PLAIN", USERNAME=GUEST))
    topic, group = f"{kafka_prefix}.events", f"{kafka_prefix}.group"
    with open_log(secured.url) as log, pytest.raises(ConfigError, match=f"does not allow this to {GUEST} .*kafka-acls"):
        log.create_topics({topic: 1})
    lines = (ROOT / "docs" / "security.md").read_text().partition("**What a run's user must be allowed:**")[2]
    said = " ".join(lines.partition("\n\n")[0].split())
    may = ACLOperation
    needed = {
        (ResourceType.TOPIC, "on topics `<prefix>.*`"): (may.CREATE, may.DESCRIBE, may.READ, may.WRITE, may.DELETE),
        (ResourceType.GROUP, "on groups `<prefix>.*`"): (may.READ,),
        (ResourceType.TRANSACTIONAL_ID, "on transactional ids `<prefix>.*` and `trajlog-*`"): (may.WRITE, may.DESCRIBE),
    }
    for (kind, where), operations in needed.items():
        names = ", ".join(operation.name.capitalize() for operation in operations)
        assert f"{where}: {names}" in said
        secured.allow(GUEST, kind, f"{kafka_prefix}.", *operations)
    secured.allow(GUEST, ResourceType.TRANSACTIONAL_ID, "trajlog-", may.WRITE, may.DESCRIBE)
    use(secured.url, topic, group)
    with open_log(secured.url) as log:
        assert topic in log.identity
        with log.transaction() as transaction:
            transaction.append(topic, [numbered("a", 2)])
        log.truncate(topic, 0, 2)
        assert log.begin_offsets(topic) == {TopicPartition(topic, 0): 2}


@pytest.mark.slow
@pytest.mark.usefixtures("lost_sockets")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_login_revoked_under_clients_that_are_up_ends_every_call_with_that_reason(
    secured: SecuredKafka, settings: Settings, kafka_prefix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (kafka_client, kafka_reader, kafka_transaction):
        monkeypatch.setattr(module, "RETRY_S", 3.0)
    monkeypatch.setattr(kafka_reader, "_PROBE_S", 0.5)
    settings.set(**login(secured, "PLAIN"))
    topic, group = f"{kafka_prefix}.events", f"{kafka_prefix}.group"

    def poll_on(some: Reader) -> None:
        for _ in range(100):
            some.poll(0.2)

    with open_log(secured.url) as log:
        log.create_topics({topic: 1})
        log.append(topic, [numbered("a", 0)])
        with log.group_reader([topic], group) as member, log.reader([topic], "beginning") as reader:
            poll_until(member, 1)
            poll_until(reader, 1)
            secured.stop()
            secured.password = WRONG
            secured.start()
            try:
                for call in (lambda: poll_on(reader), lambda: poll_on(member), lambda: use(secured.url, topic, group)):
                    with pytest.raises(ConfigError, match=f"refuses the login of user '{USER}' by PLAIN") as refused:
                        call()
                    assert PASSWORD not in str(refused.value)
                with pytest.raises(ConfigError, match="refuses the login"):
                    log.append(topic, [numbered("a", 1)])
            finally:
                secured.stop()
                secured.password = PASSWORD
                secured.start()
    use(secured.url, f"{kafka_prefix}.again", f"{kafka_prefix}.again-group")
