"""Series as text, one line each: `requests{host=a,path=/} total=3`."""


def number(value):
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    return str(value)


def line(key, fields):
    name, labels = key
    tags = ",".join(f"{label}={value}" for label, value in labels)
    head = f"{name}{{{tags}}}" if tags else name
    return " ".join([head, *(f"{field}={number(value)}" for field, value in fields.items())])


def render(series):
    return [line(key, series[key].fields()) for key in sorted(series)]
