"""Units as described in an ini file."""

import configparser
from dataclasses import dataclass


class ConfigError(ValueError):
    """The file does not describe units that can run."""


@dataclass(frozen=True)
class UnitConfig:
    name: str
    command: str
    needs: tuple = ()
    restart: str = "always"
    delay: float = 1.0
    tries: int = 3


def parse(text):
    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(text)
    except configparser.Error as error:
        raise ConfigError(str(error).splitlines()[0]) from error
    configs = {name: _unit(name, parser[name]) for name in parser.sections()}
    for config in configs.values():
        for need in config.needs:
            if need not in configs:
                raise ConfigError(f"{config.name} needs {need}, which is not described")
    return configs


def _unit(name, section):
    if "command" not in section:
        raise ConfigError(f"{name} has no command")
    restart = section.get("restart", "always")
    if restart not in ("always", "on-failure", "never"):
        raise ConfigError(f"{name}: restart = {restart}")
    return UnitConfig(
        name,
        section["command"],
        tuple(section.get("needs", "").split()),
        restart,
        section.getfloat("delay", 1.0),
        section.getint("tries", 3),
    )
