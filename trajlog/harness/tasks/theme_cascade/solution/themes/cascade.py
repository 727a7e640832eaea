"""Rules of a family of themes, applied from the root down."""

from themes.source import ThemeError


def as_list(value):
    return value if isinstance(value, list) else [value]


class Style:
    """Resolved groups; values are texts or lists of texts."""

    def __init__(self, groups=None):
        self.groups = groups or {}

    def copy(self):
        groups = {}
        for name, entries in self.groups.items():
            groups[name] = {key: list(value) if isinstance(value, list) else value for key, value in entries.items()}
        return Style(groups)

    def get(self, group, name, default=None):
        return self.groups.get(group, {}).get(name, default)

    def apply(self, rule):
        entries = self.groups.setdefault(rule.group, {})
        if rule.how == "drop":
            entries.pop(rule.name, None)
        elif rule.how == "append" and rule.name in entries:
            present = as_list(entries[rule.name])
            entries[rule.name] = present + [item for item in as_list(rule.value) if item not in present]
        elif isinstance(rule.value, list):
            entries[rule.name] = list(rule.value)
        else:
            entries[rule.name] = rule.value


class Theme:
    def __init__(self, name, rules, parent=None):
        self.name = name
        self.rules = rules
        self.parent = parent

    def lineage(self):
        theme, found = self, []
        while theme is not None:
            if theme in found:
                raise ThemeError(f"{theme.name} inherits from itself")
            found.append(theme)
            theme = theme.parent
        return found[::-1]

    def depth(self):
        return len(self.lineage())
