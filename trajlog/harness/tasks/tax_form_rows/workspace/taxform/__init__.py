"""Tax forms as text."""

from taxform.errors import FormError
from taxform.form import Form, parse_form
from taxform.values import show

__all__ = ["Form", "FormError", "parse_form", "show"]
