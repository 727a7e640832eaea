"""The exception tree. Every message says what failed, with which values, and what to do next.

TrajlogError
├── ConfigError            a setting is wrong or missing
├── InvalidEvent           an event was refused where it was created (also a ValueError)
├── DecodeError            bytes of a record are not what their headers say
├── LogError
│   ├── LogUnavailable     the broker or the file cannot be reached now; retrying may help
│   ├── LogIdentityMismatch  remembered offsets belong to another log
│   ├── OffsetExpired      retention passed an offset that a reader still needed
│   ├── MemberReplaced     the group went on without this member; nothing was written; polling joins it again (Kafka)
│   ├── RoleBusy           another live instance of a single-instance role holds the log
│   └── LogFull            no space to append; nothing of the batch was written
├── ArchiveError           the archive cannot be read, written or verified
├── ModelError             a model or adapter path is missing or broken
├── EngineError            a policy engine refused or failed a request
├── TaskError              a task folder is malformed or fails validation
├── SandboxError           a sandbox could not be made or died (infrastructure, not the agent)
└── ProcessError           a child process of `trajlog up` ended too early

Foreign exceptions (sqlite3, kafka, deltalake, httpx, OSError) are mapped to these at the boundary where they
arise. `assert` is for our own invariants only. A bad rollout is data; a bad log stops the process.
"""


class TrajlogError(Exception):
    """Base of all errors meant for people: the command line prints the message without a traceback."""


class ConfigError(TrajlogError):
    """A setting is wrong or missing."""


class InvalidEvent(TrajlogError, ValueError):
    """An event was refused where it was created; the message names the kind, the field and the value."""


class DecodeError(TrajlogError):
    """Bytes of a record are not what their headers say. The archiver quarantines such a record."""


class LogError(TrajlogError):
    """Something is wrong with the log."""


class LogUnavailable(LogError):
    """The broker or the file cannot be reached now; retrying may help."""


class LogIdentityMismatch(LogError):
    """Remembered offsets belong to another log (a recreated file or broker volume)."""


class OffsetExpired(LogError):
    """Retention passed an offset that a reader still needed; it never skips by itself."""


class MemberReplaced(LogError):
    """The group went on without this member, silent for too long; nothing was written. Polling joins it again."""


class RoleBusy(LogError):
    """Another live instance of a single-instance role holds this log."""


class LogFull(LogError):
    """No space to append; nothing of the batch was written."""


class ArchiveError(TrajlogError):
    """The archive cannot be read, written or verified."""


class ModelError(TrajlogError):
    """A model or adapter path is missing or broken."""


class EngineError(TrajlogError):
    """A policy engine refused or failed a request."""


class TaskError(TrajlogError):
    """A task folder is malformed or fails validation."""


class SandboxError(TrajlogError):
    """A sandbox could not be made or died: infrastructure, not the agent's doing."""


class ProcessError(TrajlogError):
    """A child process ended too early."""
