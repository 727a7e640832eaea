"""How we log in to a Kafka cluster and whom we trust there: the environment variables TRAJLOG_KAFKA_*.

They are the one way. A log URL is shown by `ps`, in messages and in scripts, and a run's settings are stored in its
log for ever (run_started), so neither may carry a password. Child processes of `trajlog up` inherit them; sandboxes do
not (harness/sandbox/box.py). An empty value counts as not set. What each means: docs/security.md.
"""

import os
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from trajlog.errors import ConfigError

PREFIX = "TRAJLOG_KAFKA_"
PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_LOGIN = ("SASL_MECHANISM", "USERNAME", "PASSWORD", "PASSWORD_FILE")
_TLS = ("CA_FILE", "CERT_FILE", "KEY_FILE")
NAMES = ("SECURITY_PROTOCOL", *_LOGIN, *_TLS)
"""All settings there are, without PREFIX."""
T = TypeVar("T")


class Secret(str):
    """A string that shows nothing in a repr: kafka-python logs its clients' settings at DEBUG."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


@dataclass(frozen=True)
class KafkaSecurity:
    """What every client of a cluster is told. Made by `read_security`, which checks that it fits together."""

    protocol: str = "PLAINTEXT"
    """One of PROTOCOLS, named as in Kafka: SSL is TLS, SASL is a login."""
    mechanism: str | None = None
    """One of MECHANISMS; None without a login."""
    username: str | None = None
    password: Secret | None = None
    context: ssl.SSLContext | None = field(default=None, repr=False)
    """Checks the broker's certificate and its name, and holds ours; None without TLS."""

    @property
    def has_login(self) -> bool:
        return self.mechanism is not None

    def client_settings(self) -> dict[str, object]:
        """Keyword arguments of any kafka-python client."""
        return {
            "security_protocol": self.protocol,
            "ssl_context": self.context,
            "sasl_mechanism": self.mechanism,
            "sasl_plain_username": self.username,
            "sasl_plain_password": self.password,
        }


def read_security(environment: Mapping[str, str] = os.environ) -> KafkaSecurity:
    """The security that TRAJLOG_KAFKA_* asks for; plain text without a login when none is set.

    Files are read anew at each call, so a password or certificate that was replaced counts for the next client.
    Raises ConfigError naming the variable that is wrong, missing or does not fit the others; never its secret.
    """
    given = {name.removeprefix(PREFIX): value for name, value in environment.items() if name.startswith(PREFIX)}
    given = {name: value for name, value in given.items() if value}
    if unknown := sorted(given.keys() - set(NAMES)):
        raise ConfigError(f"there is no setting {PREFIX}{unknown[0]}. There are: {_joined(NAMES)}.")
    protocol = given.get("SECURITY_PROTOCOL", "PLAINTEXT")
    if protocol not in PROTOCOLS:
        raise ConfigError(f"{PREFIX}SECURITY_PROTOCOL is {protocol!r}. Set it to one of {', '.join(PROTOCOLS)}.")
    needs_login, needs_tls = protocol.startswith("SASL_"), protocol.endswith("SSL")
    for names, wanted, fix in ((_LOGIN, needs_login, "SASL_SSL"), (_TLS, needs_tls, "SSL or SASL_SSL")):
        if not wanted and (idle := [name for name in names if name in given]):
            raise ConfigError(
                f"{_joined(idle)} would have no effect with {PREFIX}SECURITY_PROTOCOL={protocol}. "
                f"Set {PREFIX}SECURITY_PROTOCOL={fix}, or unset the former."
            )
    context = _context(given) if needs_tls else None
    if not needs_login:
        return KafkaSecurity(protocol, context=context)
    mechanism = given.get("SASL_MECHANISM")
    if mechanism not in MECHANISMS:
        found = f"{mechanism!r}" if mechanism else "not set"
        raise ConfigError(f"{PREFIX}SASL_MECHANISM is {found}. Set it to one of {', '.join(MECHANISMS)}.")
    if mechanism == "PLAIN" and not needs_tls:
        raise ConfigError(
            f"{PREFIX}SECURITY_PROTOCOL=SASL_PLAINTEXT with {PREFIX}SASL_MECHANISM=PLAIN would send the password "
            f"readable over the network. Set the protocol to SASL_SSL, or the mechanism to SCRAM-SHA-512."
        )
    if "USERNAME" not in given:
        raise ConfigError(f"{PREFIX}SECURITY_PROTOCOL={protocol} needs a login: set {PREFIX}USERNAME.")
    return KafkaSecurity(protocol, mechanism, given["USERNAME"], _password(given), context)


def _joined(names: tuple[str, ...] | list[str]) -> str:
    return ", ".join(f"{PREFIX}{name}" for name in names)


def _password(given: Mapping[str, str]) -> Secret:
    if ("PASSWORD" in given) == ("PASSWORD_FILE" in given):
        raise ConfigError(
            f"{'both are' if 'PASSWORD' in given else 'neither is'} set of {PREFIX}PASSWORD and "
            f"{PREFIX}PASSWORD_FILE. Set one: the file's first line is the password."
        )
    if "PASSWORD" in given:
        return Secret(given["PASSWORD"])
    path = Path(given["PASSWORD_FILE"])
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ConfigError(f"{PREFIX}PASSWORD_FILE={path} cannot be read: {reason}.") from None
    if not lines or not lines[0]:
        raise ConfigError(f"{PREFIX}PASSWORD_FILE={path} is empty. Write the password into its first line.")
    return Secret(lines[0])


def _context(given: Mapping[str, str]) -> ssl.SSLContext:
    """TLS 1.2 or newer; the broker's certificate and host name are always checked, there is no way to turn it off."""
    ca_file, cert_file, key_file = (given.get(name) for name in _TLS)
    if (cert_file is None) != (key_file is None):
        missing = "KEY_FILE" if key_file is None else "CERT_FILE"
        raise ConfigError(f"a certificate of our own needs its key beside it: set {PREFIX}{missing} as well.")
    context = _loaded("CA_FILE", ca_file, lambda: ssl.create_default_context(cafile=ca_file))
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if cert_file is not None:
        _loaded("CERT_FILE", cert_file, lambda: context.load_cert_chain(cert_file, key_file, _no_passphrase))
    return context


def _loaded(name: str, path: str | None, load: Callable[[], T]) -> T:
    try:
        return load()
    except ssl.SSLError as error:  # also when a key and a certificate are no pair
        raise ConfigError(
            f"{PREFIX}{name}={path} cannot be used: {error.reason or error}. It must be a PEM file"
            f"{f', and {PREFIX}KEY_FILE its key, not encrypted' if name == 'CERT_FILE' else ''}."
        ) from None
    except OSError as error:
        also = f" (or {PREFIX}KEY_FILE)" if name == "CERT_FILE" else ""
        raise ConfigError(f"{PREFIX}{name}={path}{also} cannot be read: {error.strerror}.") from None


def _no_passphrase() -> str:
    """In place of OpenSSL's prompt on the terminal, at which a role would wait for ever."""
    return ""
