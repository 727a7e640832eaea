"""Which TRAJLOG_KAFKA_* settings fit together, and what is said of those that do not."""

import ssl
from pathlib import Path

import pytest

from trajlog.errors import ConfigError
from trajlog.stream.kafka_security import NAMES, read_security
from trajlog.stream.open import open_log

SECRET = "hunter2-canary"


def read(**settings: str) -> object:
    return read_security({f"TRAJLOG_KAFKA_{name}": value for name, value in settings.items()} | {"PATH": "/bin"})


def test_nothing_set_is_plain_text_without_a_login() -> None:
    assert read_security({"TRAJLOG_LOG": "kafka://a", "TRAJLOG_KAFKA_PASSWORD": ""}).client_settings() == {
        "security_protocol": "PLAINTEXT",
        "ssl_context": None,
        "sasl_mechanism": None,
        "sasl_plain_username": None,
        "sasl_plain_password": None,
    }


def test_tls_always_checks_certificate_and_name_and_is_not_older_than_1_2() -> None:
    for protocol in ("SSL", "SASL_SSL"):
        login = {"SASL_MECHANISM": "PLAIN", "USERNAME": "u", "PASSWORD": SECRET} if protocol == "SASL_SSL" else {}
        context = read(SECURITY_PROTOCOL=protocol, **login).context
        assert context.verify_mode == ssl.CERT_REQUIRED
        assert context.check_hostname
        assert context.minimum_version == ssl.TLSVersion.TLSv1_2


def test_a_password_is_the_first_line_of_its_file_read_anew_each_time(tmp_path: Path) -> None:
    path = tmp_path / "password"
    settings = {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "SCRAM-SHA-512", "USERNAME": "u"}
    for password in ("first", "second"):
        path.write_text(f"{password}\n")
        assert read(**settings, PASSWORD_FILE=str(path)).password == password


def test_a_password_is_not_shown_with_its_settings() -> None:
    security = read(SECURITY_PROTOCOL="SASL_SSL", SASL_MECHANISM="PLAIN", USERNAME="u", PASSWORD=SECRET)
    assert SECRET not in repr(security)
    assert security.client_settings()["sasl_plain_password"] == SECRET


LOGIN = {"SECURITY_PROTOCOL": "SASL_SSL", "SASL_MECHANISM": "PLAIN", "USERNAME": "u", "PASSWORD": SECRET}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"PASSWROD": SECRET}, "no setting TRAJLOG_KAFKA_PASSWROD. There are: TRAJLOG_KAFKA_SECURITY_PROTOCOL,"),
        ({"SECURITY_PROTOCOL": "TLS"}, "'TLS'. Set it to one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ({"USERNAME": "u", "PASSWORD": SECRET}, "USERNAME, TRAJLOG_KAFKA_PASSWORD would have no effect"),
        ({"CA_FILE": "/ca.pem"}, "Set TRAJLOG_KAFKA_SECURITY_PROTOCOL=SSL or SASL_SSL, or unset"),
        (LOGIN | {"SECURITY_PROTOCOL": "SSL"}, "Set TRAJLOG_KAFKA_SECURITY_PROTOCOL=SASL_SSL, or unset"),
        (LOGIN | {"SASL_MECHANISM": ""}, "SASL_MECHANISM is not set. Set it to one of PLAIN, SCRAM-SHA-256,"),
        (LOGIN | {"SASL_MECHANISM": "GSSAPI"}, "SASL_MECHANISM is 'GSSAPI'. Set it to one of PLAIN"),
        (LOGIN | {"SECURITY_PROTOCOL": "SASL_PLAINTEXT"}, "would send the password readable over the network"),
        (LOGIN | {"USERNAME": ""}, "needs a login: set TRAJLOG_KAFKA_USERNAME"),
        (LOGIN | {"PASSWORD": ""}, "neither is set of TRAJLOG_KAFKA_PASSWORD and TRAJLOG_KAFKA_PASSWORD_FILE"),
        (LOGIN | {"PASSWORD_FILE": "/p"}, "both are set of TRAJLOG_KAFKA_PASSWORD and TRAJLOG_KAFKA_PASSWORD_FILE"),
        (LOGIN | {"PASSWORD": "", "PASSWORD_FILE": "/none/p"}, "PASSWORD_FILE=/none/p cannot be read: No such file"),
        (LOGIN | {"PASSWORD": "", "PASSWORD_FILE": "/dev/null"}, "PASSWORD_FILE=/dev/null is empty"),
        (LOGIN | {"CA_FILE": "/none/ca.pem"}, "CA_FILE=/none/ca.pem cannot be read: No such file"),
        (LOGIN | {"CA_FILE": __file__}, "cannot be used: .*It must be a PEM file"),
        (LOGIN | {"CERT_FILE": "/c.pem"}, "its key beside it: set TRAJLOG_KAFKA_KEY_FILE as well"),
        (LOGIN | {"KEY_FILE": "/k.pem"}, "its key beside it: set TRAJLOG_KAFKA_CERT_FILE as well"),
        (LOGIN | {"CERT_FILE": "/c.pem", "KEY_FILE": "/k.pem"}, r"CERT_FILE=/c.pem \(or TRAJLOG_KAFKA_KEY_FILE\)"),
    ],
)
def test_settings_that_do_not_fit_together_are_refused_with_the_way_out(settings: dict[str, str], message: str) -> None:
    with pytest.raises(ConfigError, match=message) as refused:
        read(**settings)
    assert SECRET not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_login_in_the_log_url_is_refused_without_repeating_it() -> None:
    for url in (f"kafka://user:{SECRET}@host:9092", f"kafka://a:9092,u:{SECRET}@b", f"postgres://u:{SECRET}@host/x"):
        with pytest.raises(ConfigError, match="TRAJLOG_KAFKA_USERNAME") as refused:
            open_log(url)
        assert SECRET not in str(refused.value)


def test_compose_hands_every_setting_to_every_role() -> None:
    compose = (Path(__file__).parents[2] / "compose.yaml").read_text(encoding="utf-8")
    role, services = compose.split("\nservices:\n")
    assert [name for name in NAMES if f"\n    TRAJLOG_KAFKA_{name}:\n" not in role] == []
    assert services.count("<<: *role") == services.count("command: [") == 7
    assert services.count("environment:") == 1  # the broker's: a role's own would take the place of these
