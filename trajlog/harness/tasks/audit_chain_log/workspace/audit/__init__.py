"""A log whose entries are chained by digests, so that changes show."""

from audit.entry import AuditError, Entry
from audit.log import AuditLog
from audit.segments import MemoryStore
from audit.verify import Finding, verify

__all__ = ["AuditError", "AuditLog", "Entry", "Finding", "MemoryStore", "verify"]
