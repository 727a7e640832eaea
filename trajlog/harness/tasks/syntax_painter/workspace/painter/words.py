"""Words of the language."""

KEYWORDS = frozenset("let in if then else fun match with end type open rec".split())
CONSTANTS = frozenset(["true", "false", "unit"])


def kind_of(word):
    if word in KEYWORDS:
        return "keyword"
    if word in CONSTANTS:
        return "constant"
    if word[0].isupper():
        return "type"
    return "name"
