import pytest
from access.company import Company
from access.groups import DirectoryError


def company(name, *staff):
    made = Company(name)
    made.directory.add_group("staff", *staff)
    made.directory.add_group("boss", "zoe")
    made.folders.grant("/plans", "staff", "read")
    made.folders.grant("/", "boss", "own")
    return made


def test_levels():
    acme = company("acme", "ada", "ben")
    assert acme.report(["zoe", "ada", "eve"], "/plans/2024") == {"ada": "read", "eve": "none", "zoe": "own"}


def test_changes_are_followed():
    acme = company("acme", "ada")
    seen = [acme.level("ada", "/plans")]
    acme.directory.leave("ada", "staff")
    seen.append(acme.level("ada", "/plans"))
    acme.directory.join("ada", "boss")
    seen.append(acme.level("ada", "/plans"))
    assert seen == ["read", "none", "own"]


def test_answers_are_remembered():
    acme = company("acme", "ada", "ben")
    for _ in range(5):
        acme.may("ada", "read", "/plans")
        acme.may("ben", "write", "/plans")
    assert acme.walks == 2


def test_two_companies():
    acme, bolt = company("acme", "ada"), company("bolt", "ben")
    assert [acme.level("ada", "/plans"), bolt.level("ada", "/plans"), bolt.level("ben", "/plans")] == [
        "read", "none", "read"
    ]


def test_circles_are_refused():
    acme = company("acme")
    acme.directory.nest("staff", "boss")
    with pytest.raises(DirectoryError, match="boss holds staff already"):
        acme.directory.nest("boss", "staff")
