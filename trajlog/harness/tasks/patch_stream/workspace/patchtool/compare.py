"""Make patches out of two texts."""


def common_ends(old, new):
    """How many lines both have in common at the start and at the end."""
    limit = min(len(old), len(new))
    head = 0
    while head < limit and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < limit - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return head, tail


def diff(old_text, new_text, context=1, title=""):
    """A patch of one hunk; an empty text if nothing differs."""
    old, new = old_text.splitlines(), new_text.splitlines()
    if old == new:
        return ""
    head, tail = common_ends(old, new)
    first, last = max(0, head - context), len(old) - max(0, tail - context)
    out = [f"@@ {title}".rstrip()]
    out += [" " + line for line in old[first:head]]
    out += ["-" + line for line in old[head:len(old) - tail]]
    out += ["+" + line for line in new[head:len(new) - tail]]
    out += [" " + line for line in old[len(old) - tail:last]]
    return "\n".join(out)
