"""Values with parameters: `text/html; charset="utf-8"`."""

import re

PARAMETER = re.compile(r';[ \t]*([\w!#$&^*.+-]+)[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^;"]*)')


def parse_value(value):
    """Main value in lower case, and the parameters by lower case name."""
    main = value.partition(";")[0].strip(" \t").lower()
    params = {}
    for name, text in PARAMETER.findall(value):
        if text.startswith('"'):
            text = re.sub(r"\\(.)", r"\1", text[1:-1])
        params.setdefault(name.lower(), text.strip(" \t"))
    return main, params


def split_list(value):
    """The items of a list with commas; commas in quotes do not count."""
    items = re.findall(r'(?:[^,"]|"(?:[^"\\]|\\.)*")+', value or "")
    return [item.strip(" \t") for item in items if item.strip(" \t")]


def by_quality(value):
    """Items such as `de;q=0.5, en`, the best first."""
    rated = []
    for item in split_list(value):
        main, params = parse_value(item)
        try:
            quality = float(params.get("q", 1))
        except ValueError:
            quality = 0.0
        rated.append((main, quality))
    return [main for main, quality in sorted(rated, key=lambda pair: -pair[1]) if quality > 0]
