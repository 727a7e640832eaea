"""A real Apache Kafka broker as one local process, for tests.

KRaft mode, broker and controller in one JVM, on free loopback ports, with its data in a temporary folder.
The jars come from Maven Central once and are kept in the user's cache. Standard library only, so that it
also runs before the project's environment exists:

    python3 tests/plumbing/kafka_broker.py          # a broker in the foreground, until Ctrl-C
    python3 tests/plumbing/kafka_broker.py --jars   # fetch the jars, print their folder
"""

from __future__ import annotations

import base64
import contextlib
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

POM = Path(__file__).with_name("kafka-pom.xml")
KAFKA_VERSION = re.search(r"<kafka.version>(.+?)</kafka.version>", POM.read_text())[1]
MIN_JAVA = 17
RECORD_LIMIT_BYTES = 33 * 1024 * 1024  # the product's 32 MiB records, and room for the batch around one
READY_LINE = "Kafka Server started"
INSTALL_HINT = (
    "Tests marked 'kafka' need a real broker. Either install Java 17+ and Maven "
    "(Debian: apt-get install -y default-jdk-headless maven) and one is started for them, "
    "or set TRAJLOG_TEST_KAFKA=host:port to a Kafka 4 broker that tests may fill with topics."
)


class BrokerUnavailable(Exception):
    """No broker can be had on this machine; the message says what to install."""


def cache_root() -> Path:
    """The folder where fetched test material is kept between runs."""
    return Path(os.environ.get("TRAJLOG_CACHE") or Path.home() / ".cache" / "trajlog")


def require_java() -> str:
    """Return the path of a Java of at least version 17.

    Raises:
        BrokerUnavailable: none on the PATH, or an older one.
    """
    java = shutil.which("java")
    if java is None:
        raise BrokerUnavailable(f"There is no 'java' on the PATH. {INSTALL_HINT}")
    banner = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    found = re.search(r'version "(\d+)', banner)
    if found is None or int(found[1]) < MIN_JAVA:
        raise BrokerUnavailable(f"{java} is not Java {MIN_JAVA} or newer: {banner.strip()} {INSTALL_HINT}")
    return java


def fetch_jars() -> Path:
    """Return the folder with the broker's jars, filled by Maven if it is not there yet.

    The folder appears whole or not at all, so test runs started together do not disturb each other.

    Raises:
        BrokerUnavailable: no Maven, or Maven could not fetch the jars.
    """
    jars = cache_root() / f"kafka-{KAFKA_VERSION}"
    if jars.is_dir():
        return jars
    maven = shutil.which("mvn")
    if maven is None:
        raise BrokerUnavailable(f"There is no 'mvn' on the PATH. {INSTALL_HINT}")
    jars.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=jars.parent, prefix="kafka-fetch-") as scratch:
        pom = shutil.copy(POM, scratch)  # Maven may write beside its pom
        fetched = Path(scratch) / "jars"
        command = [
            maven,
            "-B",
            "-q",
            "-f",
            pom,
            "dependency:copy-dependencies",
            f"-DoutputDirectory={fetched}",
        ]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        except subprocess.TimeoutExpired as error:
            raise BrokerUnavailable(f"Maven took longer than 300 s to fetch Kafka. {INSTALL_HINT}") from error
        if done.returncode != 0:
            raise BrokerUnavailable(f"Maven could not fetch Kafka:\n{done.stdout[-2000:]}\n{INSTALL_HINT}")
        with contextlib.suppress(OSError):  # another run was first
            fetched.rename(jars)
    return jars


def free_ports(count: int) -> list[int]:
    """Return `count` different free loopback TCP ports, from below those that the kernel gives to outgoing connections:
    while a broker is down, a client that tries to reach it could be given its very port, and connect to itself."""
    ports: list[int] = []
    with contextlib.ExitStack() as stack:
        while len(ports) < count:
            one = stack.enter_context(socket.socket())
            with contextlib.suppress(OSError):
                one.bind(("127.0.0.1", random.SystemRandom().randrange(10_000, _first_outgoing_port())))
                ports.append(one.getsockname()[1])
    return ports


def _first_outgoing_port() -> int:
    """Linux says it; 32768 is its default, and lower than those of others."""
    path = Path("/proc/sys/net/ipv4/ip_local_port_range")
    first = int(path.read_text().split()[0]) if path.exists() else 32_768
    return first if first > 12_000 else 65_536  # a host that gives all of them


class KafkaBroker:
    """One broker process. Address and data survive `stop`, `kill` and `start`; `wipe` makes a new cluster.

    Use as a context manager; leaving it ends the process and removes the data. Should the test process die
    without doing so, a watcher on a pipe ends the broker.
    """

    def __init__(self) -> None:
        self._java = require_java()
        self._jars = fetch_jars()
        self._port, self._controller_port = free_ports(2)
        self._folder = Path(tempfile.mkdtemp(prefix="trajlog-kafka-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._watcher: subprocess.Popen[bytes] | None = None
        self._formatted = False

    @property
    def bootstrap(self) -> str:
        """`host:port` of the broker."""
        return f"127.0.0.1:{self._port}"

    @property
    def url(self) -> str:
        """The broker as a log URL of the product."""
        return f"kafka://{self.bootstrap}"

    @property
    def pid(self) -> int:
        """Process id of the running broker."""
        assert self._process is not None, "the broker is not running"
        return self._process.pid

    def __enter__(self) -> KafkaBroker:
        try:
            self.start()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()

    def start(self, timeout_s: float = 60.0) -> None:
        """Start the broker on its address and data, and return once it serves.

        Raises:
            BrokerUnavailable: it ended or did not serve within `timeout_s`; carries the end of its output.
        """
        assert self._process is None, "the broker is running already"
        self._write_properties()
        if not self._formatted:
            self._format_storage()
        log_path = self._folder / "broker.log"
        with log_path.open("wb") as log:
            self._process = subprocess.Popen(
                self._command("kafka.Kafka", str(self._properties)),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        # Ends when our end of its standard input closes, which happens however this process ends.
        self._watcher = subprocess.Popen(
            ["sh", "-c", "read -r line; kill -9 $0 2>/dev/null", str(self._process.pid)],
            stdin=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        deadline = time.monotonic() + timeout_s
        while READY_LINE not in (output := log_path.read_text(errors="replace")):
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.kill()
                raise BrokerUnavailable(f"Kafka on {self.bootstrap} did not start:\n{output[-3000:]}")
            time.sleep(0.05)

    def stop(self, timeout_s: float = 30.0) -> None:
        """Shut the broker down in order (SIGTERM); kill it if that takes longer than `timeout_s`."""
        self._end(signal.SIGTERM, timeout_s)

    def kill(self) -> None:
        """End the broker at once (SIGKILL). Its data stay as they are."""
        self._end(signal.SIGKILL, 30.0)

    def restart(self) -> None:
        """Stop in order, then start on the same address and data."""
        self.stop()
        self.start()

    def wipe(self) -> None:
        """Delete the data of a stopped broker: the next `start` is a new cluster on the same address."""
        assert self._process is None, "stop the broker before wiping it"
        shutil.rmtree(self._folder / "data", ignore_errors=True)
        self._formatted = False

    def close(self) -> None:
        """End the process and remove every trace on disk."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _end(self, with_signal: signal.Signals, timeout_s: float) -> None:
        if self._watcher is not None:
            self._watcher.kill()
            self._watcher.communicate()
            self._watcher = None
        if self._process is None:
            return
        self._process.send_signal(with_signal)
        try:
            self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    @property
    def _properties(self) -> Path:
        return self._folder / "server.properties"

    def _command(self, main_class: str, *args: str) -> list[str]:
        """A JVM call sized for a laptop: a small heap, and a compiler that favours a quick start."""
        return [
            self._java,
            "-Xms128m",
            "-Xmx384m",
            "-XX:+UseSerialGC",
            "-XX:TieredStopAtLevel=1",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
            "-Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info",
            "-cp",
            f"{self._jars}/*",
            main_class,
            *args,
        ]

    def _format_storage(self) -> None:
        cluster_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        command = self._command("kafka.tools.StorageTool", "format", f"--cluster-id={cluster_id}")
        command += [f"--config={self._properties}", *self.format_options()]
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        if done.returncode != 0:
            raise BrokerUnavailable(f"Kafka could not format its storage:\n{done.stdout}{done.stderr}")
        self._formatted = True

    def format_options(self) -> list[str]:
        """More options of the command that formats the storage."""
        return []

    def settings(self) -> dict[str, object]:
        """The broker's properties."""
        listeners = f"PLAINTEXT://{self.bootstrap},CONTROLLER://127.0.0.1:{self._controller_port}"
        return {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@127.0.0.1:{self._controller_port}",
            "controller.listener.names": "CONTROLLER",
            "listeners": listeners,
            "advertised.listeners": f"PLAINTEXT://{self.bootstrap}",
            "log.dirs": self._folder / "data",
            "log.message.timestamp.type": "LogAppendTime",
            "message.max.bytes": RECORD_LIMIT_BYTES,
            "replica.fetch.max.bytes": RECORD_LIMIT_BYTES,
            "auto.create.topics.enable": "false",
            "num.partitions": 1,
            "offsets.topic.num.partitions": 1,
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.num.partitions": 1,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
            "group.initial.rebalance.delay.ms": 0,  # tests do not wait for members that never come
            "log.retention.check.interval.ms": 500,  # so that a test of retention takes seconds
            "log.segment.delete.delay.ms": 100,
            "log.initial.task.delay.ms": 500,
            "num.network.threads": 2,
            "num.io.threads": 4,
        }

    def _write_properties(self) -> None:
        settings = self.settings()
        self._properties.write_text("".join(f"{key}={value}\n" for key, value in settings.items()))


def main() -> int:
    """Fetch the jars, or run one broker in the foreground until interrupted."""
    try:
        if sys.argv[1:] == ["--jars"]:
            print(fetch_jars())
            return 0
        with KafkaBroker() as broker:
            print(f"TRAJLOG_TEST_KAFKA={broker.bootstrap}", flush=True)
            signal.signal(signal.SIGTERM, signal.default_int_handler)
            signal.pause()
    except BrokerUnavailable as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
