"""Radio messages: `URGENT mill: two people, smoke / third floor`."""

from dispatch.calls import Call

URGENCIES = {"mayday": 1, "urgent": 2, "routine": 3, "later": 4}


class MessageError(ValueError):
    """A message that has to be repeated."""


def parse_call(text):
    head, colon, rest = text.partition(":")
    words = head.split()
    urgency = URGENCIES["routine"]
    if words and words[0].lower() in URGENCIES:
        urgency = URGENCIES[words.pop(0).lower()]
    if not words:
        raise MessageError(f"no place: {text!r}")
    notes = [note.strip() for note in rest.split("/") if note.strip()] if colon else []
    return Call(" ".join(words), urgency, notes)


def read_back(call):
    """What the dispatcher repeats to the caller."""
    names = {number: name for name, number in URGENCIES.items()}
    lines = [f"{names[call.urgency]}, {call.place}"]
    if call.number:
        lines[0] += f", call {call.number}"
    lines += [f"  {index}. {note}" for index, note in enumerate(call.notes, 1)]
    return "\n".join(lines)
