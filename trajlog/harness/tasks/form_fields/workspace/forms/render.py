"""Forms as HTML."""

from html import escape

from forms.fields import Choice, Whole


def attributes(**values):
    """` name="value"` for each; True gives the bare name, False and None nothing."""
    parts = []
    for name, value in values.items():
        if value is True:
            parts.append(f" {name}")
        elif value not in (False, None):
            parts.append(f' {name}="{escape(str(value))}"')
    return "".join(parts)


def widget(key, field, value):
    if isinstance(field, Choice):
        options = "".join(
            f"<option{attributes(selected=choice == value)}>{escape(choice)}</option>" for choice in field.choices
        )
        return f"<select{attributes(name=key, required=field.required)}>{options}</select>"
    if isinstance(field, Whole):
        bounds = {"min": field.low, "max": field.high}
        return f"<input{attributes(type='number', name=key, value=value, required=field.required, **bounds)}>"
    return f"<input{attributes(name=key, value=value, required=field.required)}>"


def row(key, field, value):
    parts = [f"<label>{escape(field.label)} {widget(key, field, value)}</label>"]
    if field.help:
        parts.append(f"<small>{escape(field.help)}</small>")
    parts += [f"<em>{escape(error)}</em>" for error in field.errors]
    return "".join(parts)


def render(form):
    """One line per field."""
    return [row(key, form.field(key), form.data.get(key)) for key in form.keys()]
