import io

from parcels.depot import Depot
from parcels.fields import pack_fields
from parcels.frames import END, NOTE, PARCEL, ROUTE, pack
from parcels.link import Link
from parcels.manifest import read_manifest

STOP = bytes([END, 0])


def parcel(code, grams, depot=b"SUED"):
    return pack(PARCEL, pack_fields(code, grams, depot))


def test_notes_and_parcels_over_many_blocks():
    data = b"".join(
        parcel(b"C%d" % number, 70 * number) + pack(NOTE, b"shelf %d" % (number * 3)) for number in range(1, 6)
    )
    link = Link(io.BytesIO(data + STOP), 24)
    assert (read_manifest(link).labels(), link.num_blocks) == (
        ['C1 0.07 kg -> SUED [shelf 3]', 'C2 0.14 kg -> SUED [shelf 6]',
        'C3 0.21 kg -> SUED [shelf 9]', 'C4 0.28 kg -> SUED [shelf 12]',
        'C5 0.35 kg -> SUED [shelf 15]'],
        6,
    )


def test_two_manifests_over_one_link():
    first = parcel(b"FIRST", 4000) + STOP
    second = parcel(b"OTHER", 90, b"WEST") + pack(NOTE, b"late") + STOP
    link = Link(io.BytesIO(first + second), 20)
    one = read_manifest(link)
    two = read_manifest(link)
    assert [one.labels(), two.labels(), one.parcels[0].code == b"FIRST"] == [
        ['FIRST 4.00 kg -> SUED'], ['OTHER 0.09 kg -> WEST [late]'], True,
    ]


def test_rejected_frames_keep_their_bytes():
    broken = bytearray(parcel(b"BAD", 15))
    broken[-1] ^= 7
    link = Link(io.BytesIO(bytes(broken) + parcel(b"GOOD1", 250) + parcel(b"GOOD2", 260) + STOP), 18)
    manifest = read_manifest(link)
    assert ([bytes(body) for body in manifest.rejected], manifest.labels()) == (
        [b'\x03BAD\x01\x0f\x04SUED'], ['GOOD1 0.25 kg -> SUED', 'GOOD2 0.26 kg -> SUED'],
    )


def test_routing_table_is_good_for_look_ups():
    routes = pack(ROUTE, pack_fields(b"NORD", 31, b"SUED", 32)) + pack(ROUTE, pack_fields(b"OST", 33))
    link = Link(io.BytesIO(routes + parcel(b"X1", 100) + parcel(b"X2", 200) + STOP), 20)
    manifest = read_manifest(link)
    tours = [manifest.tour(depot) for depot in (b"NORD", b"SUED", b"OST")]
    assert (tours, [manifest.tour(item.depot) for item in manifest.parcels]) == ([31, 32, 33], [32, 32])


def test_handing_out_later():
    link = Link(io.BytesIO(b"".join(parcel(b"Z%d" % n, 1000 - n) for n in range(6)) + STOP), 33)
    depot = Depot()
    depot.receive(read_manifest(link))
    read_manifest(Link(io.BytesIO(parcel(b"Q", 1) + STOP)))
    assert [depot.hand_out(b"Z4"), depot.heaviest(), depot.hand_out(b"Z1"), len(depot)] == [
        'Z4 1.00 kg -> SUED', 'Z0 1.00 kg -> SUED', 'Z1 1.00 kg -> SUED', 4,
    ]
