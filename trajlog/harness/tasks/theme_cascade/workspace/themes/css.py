"""Styles as text for the browser."""

PROPERTIES = {"fonts": "font-family", "colour": "color", "wrap": "white-space"}


def declaration(name, value):
    text = ", ".join(value) if isinstance(value, list) else value
    return f"{PROPERTIES.get(name, name)}: {text};"


def css(style):
    lines = []
    for group, entries in sorted(style.groups.items()):
        body = " ".join(declaration(name, value) for name, value in sorted(entries.items()))
        lines.append(f".{group} {{ {body} }}" if body else f".{group} {{ }}")
    return "\n".join(lines)


def fallback(style, group, font):
    """The style with one more font at the end of the group's fonts."""
    fonts = style.get(group, "fonts")
    if isinstance(fonts, list):
        fonts.append(font)
    else:
        style.groups.setdefault(group, {})["fonts"] = [fonts, font] if fonts else [font]
    return style
