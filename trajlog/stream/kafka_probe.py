"""Ask a broker, before any client is made, whether it takes us: TLS, login, and a first question.

kafka-python retries what can never succeed, forgets why, and leaves a thread and sockets behind. One blocking
connection of our own tells the reason in one sentence. Steps, in the order in which a client takes them: 1 connect;
2 TLS handshake; 3 ApiVersions; 4 SaslHandshake and SaslAuthenticate; 5 Metadata of no topics, which names the brokers
as clients shall reach them; 6 their certificates.
"""

import socket
import ssl
from typing import Any

from kafka import errors as kafka_errors
from kafka.net.sasl import get_sasl_mechanism
from kafka.protocol.metadata import ApiVersionsRequest, MetadataRequest
from kafka.protocol.parser import KafkaProtocol
from kafka.protocol.sasl import SaslAuthenticateRequest, SaslHandshakeRequest

from trajlog.errors import ConfigError
from trajlog.stream.kafka_security import PREFIX, KafkaSecurity

_STEP_S = 5.0
_MAX_ANSWER_BYTES = 1024 * 1024  # an answer that claims more is not Kafka's (0x15030300.. is a TLS alert)
_WRONG_NAME = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH
_PROTOCOL_HINT = f"check that {PREFIX}SECURITY_PROTOCOL is that of this port of the broker"


class Hangup(Exception):
    """The broker answered, but not as Kafka answers this client, or no further. Most likely the settings are for
    another listener; a broker that is stopping can look the same once."""


def probe(host: str, port: int, security: KafkaSecurity) -> None:
    """Return when the broker answers this client, and the brokers that can be reached show certificates that we trust.

    Raises ConfigError for what another try cannot change, Hangup for what it hardly will, OSError for no answer at all.
    """
    with socket.create_connection((host, port), timeout=_STEP_S) as plain:
        if security.context is None:
            _converse(plain, f"{host}:{port}", security)
            return
        try:
            tls = _wrapped(plain, host, port, security.context)
        except ConnectionError:
            _refuse_plain_text(host, port)
            raise
        with tls:
            advertised = _converse(tls, f"{host}:{port}", security)
    for address in advertised - {(host, port)}:
        _check_certificate(*address, security.context, f"{host}:{port}")


def _refuse_plain_text(host: str, port: int) -> None:
    """A listener without TLS hangs up on a TLS handshake, as a broker that starts does. So it is asked once in plain
    text, in which nothing secret is said. Returns where it does not answer that either."""
    try:
        with socket.create_connection((host, port), timeout=_STEP_S) as plain:
            _Conversation(plain, f"{host}:{port}").ask(ApiVersionsRequest(version=0), "")
    except (Hangup, OSError):
        return
    raise ConfigError(
        f"{host}:{port} speaks Kafka without TLS. Set {PREFIX}SECURITY_PROTOCOL to PLAINTEXT or SASL_PLAINTEXT, or "
        f"name the broker's port with TLS in --log."
    )


def _check_certificate(host: str, port: int, context: ssl.SSLContext, named_by: str) -> None:
    """Step 6. A broker that is down is for its clients to wait for; a name that its certificate lacks stays so."""
    try:
        with socket.create_connection((host, port), timeout=_STEP_S) as plain:
            _wrapped(plain, host, port, context).close()
    except ConfigError as error:
        raise ConfigError(
            f"{named_by} sends clients to {host}:{port} (its advertised.listeners), but {error} Or let it advertise "
            f"the name that is in its certificate."
        ) from None
    except (Hangup, OSError):
        return


def _wrapped(plain: socket.socket, host: str, port: int, context: ssl.SSLContext) -> ssl.SSLSocket:
    try:
        return context.wrap_socket(plain, server_hostname=host.rstrip("."))
    except ssl.SSLCertVerificationError as error:
        if error.verify_code in _WRONG_NAME:
            raise ConfigError(
                f"the certificate of {host}:{port} is not for that name ({error.verify_message}). Name the broker in "
                f"--log as its certificate does, or let its certificate name {host}."
            ) from None
        raise ConfigError(
            f"the certificate of {host}:{port} is not trusted ({error.verify_message}). Set {PREFIX}CA_FILE to the "
            f"PEM file of the authority that signed it, and check that it has not expired."
        ) from None
    except ssl.SSLEOFError as error:
        raise ConnectionError(f"closed in the TLS handshake; {_PROTOCOL_HINT}") from error
    except ssl.SSLError as error:
        if "ALERT" in (error.reason or ""):
            raise _refused_certificate(f"{host}:{port}", error) from None
        raise Hangup(f"{host}:{port} does not speak TLS as we do ({_said(error)}): {_PROTOCOL_HINT}.") from None


def _said(error: ssl.SSLError) -> str:
    return (error.reason or str(error)).replace("_", " ").lower().removeprefix("sslv3 ").removeprefix("tlsv1 ")


def _refused_certificate(where: str, error: ssl.SSLError) -> ConfigError:
    return ConfigError(
        f"{where} does not accept our side of the TLS handshake ({_said(error)}): it may demand a certificate. Set "
        f"{PREFIX}CERT_FILE and {PREFIX}KEY_FILE to one whose authority it trusts."
    )


def _converse(connection: socket.socket, where: str, security: KafkaSecurity) -> set[tuple[str, int]]:
    """Steps 3 to 5; the addresses of the brokers."""
    kafka = _Conversation(connection, where)
    kafka.ask(ApiVersionsRequest(version=0), _hint("" if security.context else "TLS (SSL or SASL_SSL)"))
    if security.has_login:
        _log_in(kafka, where, security)
    demand = "" if security.has_login else "a login (SASL_SSL)"
    metadata = kafka.ask(MetadataRequest(version=1, topics=[]), _hint(demand))
    return {(broker.host, broker.port) for broker in metadata.brokers}


def _hint(demand: str) -> str:
    return (f"it may demand {demand}; " if demand else "") + _PROTOCOL_HINT


def _log_in(kafka: "_Conversation", where: str, security: KafkaSecurity) -> None:
    handshake = kafka.ask(SaslHandshakeRequest(version=1, mechanism=security.mechanism), _PROTOCOL_HINT)
    if not handshake.mechanisms:
        without = "SSL" if security.context else "PLAINTEXT"
        raise ConfigError(
            f"{where} takes no logins. Set {PREFIX}SECURITY_PROTOCOL={without} and unset {PREFIX}USERNAME, or name the "
            f"broker's other port in --log."
        )
    if security.mechanism not in handshake.mechanisms:
        raise ConfigError(
            f"{where} takes no login by {security.mechanism}. Set {PREFIX}SASL_MECHANISM to one of "
            f"{', '.join(sorted(handshake.mechanisms))}."
        )
    mechanism = get_sasl_mechanism(security.mechanism)(host=where, **security.client_settings())
    while not mechanism.is_done():
        answer = kafka.ask(SaslAuthenticateRequest(mechanism.auth_bytes(), version=1), _PROTOCOL_HINT)
        error = kafka_errors.for_code(answer.error_code)
        if error is not kafka_errors.NoError:
            raise refused_login(where, security, answer.error_message or error.__name__)
        try:
            mechanism.receive(answer.auth_bytes)
        except ValueError as failure:
            raise refused_login(where, security, str(failure)) from None


def refused_login(where: str, security: KafkaSecurity, reason: str) -> ConfigError:
    """Never with the password."""
    return ConfigError(
        f"{where} refuses the login of user {security.username!r} by {security.mechanism} ({reason}). Correct "
        f"{PREFIX}USERNAME and {PREFIX}PASSWORD (or {PREFIX}PASSWORD_FILE), or create that user on the cluster."
    )


class _Conversation:
    """One question at a time, in kafka-python's protocol."""

    def __init__(self, connection: socket.socket, where: str) -> None:
        self._connection = connection
        self._where = where
        self._protocol = KafkaProtocol(client_id="trajlog-probe", receive_message_max_bytes=_MAX_ANSWER_BYTES)
        self._answered = False

    def ask(self, request: Any, hint: str) -> Any:
        """The answer. Raises Hangup with `hint`, or ConnectionError when nothing was ever answered."""
        self._protocol.send_request(request)
        try:
            self._connection.sendall(self._protocol.send_bytes())
            answers: list[tuple[int, Any]] = []
            while not answers:
                received = self._connection.recv(65536)
                if not received:
                    raise ConnectionError("it closed the connection")
                answers = self._protocol.receive_bytes(received)
        except ssl.SSLError as error:
            if "ALERT" in (error.reason or ""):  # with TLS 1.3 a refused certificate is told after the handshake
                raise _refused_certificate(self._where, error) from None
            raise ConnectionError(f"TLS ended: {_said(error)}") from error
        except kafka_errors.KafkaError as error:
            raise Hangup(f"{self._where} answered what is not Kafka's ({type(error).__name__}): {hint}.") from None
        except ConnectionError as error:
            if self._answered:
                raise Hangup(f"{self._where} answered at first, then not ({error}): {hint}.") from None
            raise ConnectionError(f"{error}; {hint}") from error
        self._answered = True
        return answers[0][1]
