import pytest
from reading import LabelError, read_labels
from sorting import Sorter
from vendor.bitpack import BitWriter


def roll(*labels):
    """Bits of labels; a label is zone, postcode and extra fields as pairs of kind and bytes."""
    writer = BitWriter()
    for zone, postcode, *extras in labels:
        writer.put(zone, 12).text(postcode, 8).put(40 * zone, 16).put(zone % 2, 1).put(len(extras), 3).align()
        for kind, content in extras:
            writer.put(kind, 8).put(len(content), 8)
            for byte in content:
                writer.put(byte, 8)
    return writer.data()


def test_longer_field_of_a_known_kind():
    data = roll((3, "AA 1", (1, b"\x00\x10\x00\xff\x07"), (7, b"\x05")),
                (4, "BB 2", (7, b"\x06\xaa"), (1, b"\0\0\x63")))
    assert [label.text() for label in read_labels(data)] == [
        'AA 1 zone 3 120 g, express, insured 4096, keep days 5', 'BB 2 zone 4 160 g, insured 99, keep days 6',
    ]


def test_unknown_fields_before_and_after():
    data = roll((5, "C", (200, b""), (1, b"\0\1\0"), (201, b"abc")), (6, "D", (99, b"\1")), (8, "E"))
    assert [(label.postcode, label.zone, label.extras) for label in read_labels(data)] == [
        ('C', 5, {'insured': 256}), ('D', 6, {}), ('E', 8, {}),
    ]


def test_longer_customs_and_signature():
    signature = BitWriter().text("DR. NO", 8).data()
    customs = BitWriter().text("DE/A", 4).put(4711, 16).data()
    data = roll((9, "F-1", (3, customs + b"\xfe\xed"), (2, signature + b"!"), (55, b"?" * 20), (7, b"\x1f")))
    assert read_labels(data)[0].extras == {'customs': 'DE/A4711', 'signature': 'DR. NO', 'keep days': 31}


def test_sorting_goes_on_behind_unknown_fields():
    sorter = Sorter({"near": range(0, 10), "far": range(10, 90)})
    data = roll(*((zone, f"P{zone}", (50 + zone, bytes(zone))) for zone in (2, 30, 7, 11)))
    assert (sorter.feed(data), sorter.counts, sorter.takings) == (
        [('P2', 'near'), ('P30', 'far'), ('P7', 'near'), ('P11', 'far')], {'near': 2, 'far': 2, 'manual': 0}, 1260,
    )


def test_field_that_is_cut_off():
    reasons = []
    for data in (roll((1, "A", (90, b"abcd")))[:-1], roll((1, "A"), (1, "B", (1, b"\0\0\1\2")))[:-1],
                 roll((1, "A", (1, b"\0\1")), (1, "B"))):
        with pytest.raises(LabelError) as caught:
            read_labels(data)
        reasons.append(caught.value.number)
    assert reasons == [1, 2, 1]
