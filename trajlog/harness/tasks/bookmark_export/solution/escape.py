"""Text inside the exported page."""

ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\n", "&#10;"))


def escape(text):
    for plain, entity in ENTITIES:
        text = text.replace(plain, entity)
    return text


def unescape(text):
    for plain, entity in reversed(ENTITIES):
        text = text.replace(entity, plain)
    return text
