"""CRC-8 (polynomial 0x07), as in the data sheet of the probe."""


def _table():
    table = []
    for start in range(256):
        value = start
        for _ in range(8):
            value = (value << 1) ^ 0x07 if value & 0x80 else value << 1
        table.append(value & 0xFF)
    return bytes(table)


TABLE = _table()


def crc8(data, start=0):
    value = start
    for byte in data:
        value = TABLE[value ^ byte]
    return value
