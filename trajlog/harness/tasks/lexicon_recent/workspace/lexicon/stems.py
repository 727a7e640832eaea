"""Stems of English words, roughly."""

IRREGULAR = {"mice": "mouse", "ran": "run", "is": "be", "are": "be", "was": "be", "been": "be"}
VOWELS = set("aeiouy")


def undouble(stem):
    """`stopp` -> `stop`."""
    if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    return stem


def stem(word):
    word = word.strip().lower()
    if word in IRREGULAR:
        return IRREGULAR[word]
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and VOWELS & set(rest):
            return undouble(rest)
    return word
