"""Pages of the manual: a small Markdown to HTML."""

from manual.page import Page, render

__all__ = ["Page", "render"]
