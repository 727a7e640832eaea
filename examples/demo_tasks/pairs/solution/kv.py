def dump(d):
    parts = []
    for k, v in d.items():
        parts.append(k + "=" + v)
    return ";".join(parts)


def load(text):
    parts = text.split(";")
    return dict(p.split("=") for p in parts)
