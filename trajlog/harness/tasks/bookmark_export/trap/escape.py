"""Text inside the exported page."""

ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("\n", "&#10;"))


def escape(text):
    for plain, entity in ENTITIES:
        text = text.replace(plain, entity)
    return text


def unescape(text):
    head, *rest = text.split("&amp;")
    for plain, entity in ENTITIES[1:]:
        head = head.replace(entity, plain)
        rest = [part.replace(entity, plain) if not part.startswith(entity[1:]) else part for part in rest]
    return "&".join([head, *rest]).replace("&amp;", "&")
