"""A real Kafka broker that demands logins and shows certificates, made anew for each test run.

Clients get two listeners: SASL_SSL (a login by PLAIN or SCRAM, over TLS), and SSL with certificates of both sides.
The broker talks to itself on a third one. Certificates are made by openssl, the key store by keytool.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from kafka.admin import (
    ACL,
    ACLOperation,
    ACLPermissionType,
    ACLResourcePatternType,
    KafkaAdminClient,
    ResourcePattern,
    ResourceType,
)

from plumbing.kafka_broker import BrokerUnavailable, KafkaBroker, free_ports

USER = "trainer"
PASSWORD = "correct-horse-battery"
GUEST = "guest"  # has the same password, logs in by PLAIN, and is allowed nothing but what `allow` adds
_STORE_PASSWORD = "of-the-key-store"
_NEW_KEY = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
_JAAS = "org.apache.kafka.common.security"


class Authority:
    """A certificate authority and what it signed, as PEM files in `folder`."""

    def __init__(self, folder: Path, name: str) -> None:
        if shutil.which("openssl") is None:
            raise BrokerUnavailable("There is no 'openssl' on the PATH. Debian: apt-get install -y openssl")
        self.folder = folder
        self.certificate = folder / f"{name}.pem"
        self._key = folder / f"{name}.key"
        _openssl(
            *("req", "-x509", *_NEW_KEY, "-subj", f"/CN={name}", "-days", "2"),
            *("-keyout", self._key, "-out", self.certificate),
            *("-addext", "keyUsage=critical,keyCertSign"),
        )

    def sign(self, name: str, names: str) -> tuple[Path, Path]:
        """Certificate and key of `name`, valid for `names` (as in subjectAltName)."""
        certificate, key, request = (self.folder / f"{name}.{end}" for end in ("pem", "key", "csr"))
        extensions = self.folder / f"{name}.ext"
        extensions.write_text(f"subjectAltName={names}\n")
        _openssl("req", *_NEW_KEY, "-subj", f"/CN={name}", "-keyout", key, "-out", request)
        _openssl(
            *("x509", "-req", "-in", request, "-CA", self.certificate, "-CAkey", self._key, "-CAcreateserial"),
            *("-days", "2", "-extfile", extensions, "-out", certificate),
        )
        return certificate, key


def _openssl(*arguments: object) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


class SecuredKafka(KafkaBroker):
    """`bootstrap` and `url` are the SASL_SSL listener; `mutual_url` is the one for clients with certificates.

    The broker talks to itself, without either, on `own_port`. Its certificate is for 127.0.0.1 only, signed by
    `authority`; `client` is a certificate and key of a client.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._mutual_port, self._misnamed_port, self.own_port = free_ports(3)
        self.password = PASSWORD  # of USER by PLAIN; one set between `stop` and `start` counts from then on
        self.authority = Authority(folder, "authority")
        self.client = self.authority.sign("client", "DNS:client")
        certificate, key = self.authority.sign("broker", "IP:127.0.0.1")
        whole = folder / "broker.p12"
        _openssl(
            *("pkcs12", "-export", "-in", certificate, "-inkey", key, "-name", "broker", "-out", whole),
            *("-passout", f"pass:{_STORE_PASSWORD}"),
        )
        self._key_store, self._trust_store = folder / "keys.p12", folder / "trust.p12"
        _keytool(
            *("-importkeystore", "-srckeystore", whole, "-srcstorepass", _STORE_PASSWORD),
            *("-destkeystore", self._key_store, "-deststorepass", _STORE_PASSWORD),
        )
        _keytool(
            *("-importcert", "-alias", "authority", "-file", self.authority.certificate),
            *("-keystore", self._trust_store, "-storepass", _STORE_PASSWORD),
        )

    @property
    def mutual_url(self) -> str:
        return f"kafka://127.0.0.1:{self._mutual_port}"

    @property
    def misnamed_url(self) -> str:
        """A listener with TLS alone that sends clients to `localhost`, for which the certificate is not."""
        return f"kafka://127.0.0.1:{self._misnamed_port}"

    def format_options(self) -> list[str]:
        return [f"--add-scram={kind}=[name={USER},password={PASSWORD}]" for kind in ("SCRAM-SHA-256", "SCRAM-SHA-512")]

    def settings(self) -> dict[str, object]:
        settings = super().settings()
        controller = str(settings["listeners"]).rsplit(",", 1)[1]
        of_clients = f"SASL_SSL://{self.bootstrap},MUTUAL://127.0.0.1:{self._mutual_port}"
        own = f"OWN://127.0.0.1:{self.own_port}"
        misnamed = f"MISNAMED://{{}}:{self._misnamed_port}"
        login = "listener.name.sasl_ssl"
        users = f'user_{USER}="{self.password}" user_{GUEST}="{PASSWORD}"'
        scram = f"{_JAAS}.scram.ScramLoginModule required;"
        return settings | {
            "listeners": f"{of_clients},{misnamed.format('127.0.0.1')},{own},{controller}",
            "advertised.listeners": f"{of_clients},{misnamed.format('localhost')},{own}",
            "inter.broker.listener.name": "OWN",
            "listener.security.protocol.map": (
                "SASL_SSL:SASL_SSL,MUTUAL:SSL,MISNAMED:SSL,OWN:PLAINTEXT,CONTROLLER:PLAINTEXT"
            ),
            "ssl.keystore.location": self._key_store,
            "ssl.keystore.password": _STORE_PASSWORD,
            "ssl.key.password": _STORE_PASSWORD,
            "ssl.truststore.location": self._trust_store,
            "ssl.truststore.password": _STORE_PASSWORD,
            "listener.name.mutual.ssl.client.auth": "required",
            f"{login}.sasl.enabled.mechanisms": "PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
            f"{login}.plain.sasl.jaas.config": f"{_JAAS}.plain.PlainLoginModule required {users};",
            "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
            "super.users": f"User:ANONYMOUS;User:{USER};User:CN=client",
            f"{login}.scram-sha-256.sasl.jaas.config": scram,
            f"{login}.scram-sha-512.sasl.jaas.config": scram,
        }

    def allow(self, user: str, kind: ResourceType, prefix: str, *operations: ACLOperation) -> None:
        """Let a user do this on all resources of a kind whose names begin so."""
        resources = ResourcePattern(kind, prefix, ACLResourcePatternType.PREFIXED)
        rules = [ACL(f"User:{user}", "*", operation, ACLPermissionType.ALLOW, resources) for operation in operations]
        admin = KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{self.own_port}")
        try:
            admin.create_acls(rules)
        finally:
            admin.close()


def _keytool(*arguments: object) -> None:
    subprocess.run(["keytool", *map(str, arguments), "-noprompt"], check=True, capture_output=True, timeout=60)
