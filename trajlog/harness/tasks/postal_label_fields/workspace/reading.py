"""Reads rolls of labels.

A label is: zone (12 bits), postcode (8 characters), weight in grams (16 bits), express (1 bit), number of extra fields
(3 bits); then it is filled up to a full byte. Each extra field is: kind (8 bits), length in bytes (8 bits), content of
that length.
"""

from labels import Label
from vendor.bitpack import BitError, BitReader

POSTCODE_CHARS = 8


class LabelError(ValueError):
    """A label that cannot be read."""

    def __init__(self, number, reason):
        super().__init__(f"label {number}: {reason}")
        self.number = number


def read_insured(reader):
    return "insured", reader.take(24)


def read_signature(reader):
    return "signature", reader.text(8)


def read_customs(reader):
    return "customs", f"{reader.text(4)}{reader.take(16)}"


def read_keep_days(reader):
    """Only the lower five bits are the days."""
    reader.skip(3)
    return "keep days", reader.take(5)


EXTRAS = {1: read_insured, 2: read_signature, 3: read_customs, 7: read_keep_days}


def read_extra(reader, extras):
    """Read one extra field into `extras`; what is not known is passed over."""
    kind, length = reader.take(8), reader.take(8)
    if kind not in EXTRAS:
        reader.skip(length)
        return
    start = reader.position
    name, value = EXTRAS[kind](reader)
    used = (reader.position - start + 7) // 8
    if used > length:
        raise BitError(f"field {kind} has only {length} bytes")
    extras[name] = value
    reader.skip(length - used)


def read_label(reader):
    label = Label(reader.take(12), reader.text(POSTCODE_CHARS), reader.take(16), reader.flag())
    number = reader.take(3)
    reader.align()
    for _ in range(number):
        read_extra(reader, label.extras)
    return label


def read_labels(data):
    reader, labels = BitReader(data), []
    while reader.left:
        try:
            labels.append(read_label(reader))
        except BitError as error:
            raise LabelError(len(labels) + 1, str(error)) from None
    return labels
