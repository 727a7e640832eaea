"""Labels into bits, for the small printer at the counter."""

from vendor.bitpack import BitWriter

KINDS = {"insured": 1, "signature": 2}


def write_label(writer, label):
    writer.put(label.zone, 12).text(label.postcode, 8).put(label.grams, 16).put(int(label.express), 1)
    writer.put(len(label.extras), 3).align()
    for name, value in label.extras.items():
        content = BitWriter()
        if name == "insured":
            content.put(value, 24)
        else:
            content.text(value, 8)
        data = content.data()
        writer.put(KINDS[name], 8).put(len(data), 8).put(int.from_bytes(data, "big"), 8 * len(data))


def print_labels(labels):
    writer = BitWriter()
    for label in labels:
        write_label(writer, label)
    return writer.data()
