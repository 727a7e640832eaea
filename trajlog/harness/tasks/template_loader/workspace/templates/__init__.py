"""Small templates with layouts and includes."""

from templates.engine import Engine
from templates.source import MemorySource, TemplateError

__all__ = ["Engine", "MemorySource", "TemplateError"]
