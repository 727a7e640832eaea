"""Integer arithmetic of the C compiler of the probe."""


class Trap(ArithmeticError):
    """What the processor traps on."""


def wrap(value, bits):
    """A signed number of so many bits."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def i16(value):
    return wrap(value, 16)


def i32(value):
    return wrap(value, 32)


def u8(value):
    return value & 0xFF


def mul(a, b):
    """16 x 16 to 32 bits."""
    return i32(a * b)


def div(a, b):
    if b == 0:
        raise Trap("division by zero")
    return a // b


def mod(a, b):
    return a - div(a, b) * b


def shift_right(a, count):
    return a >> count


def clamp(value, low, high):
    return low if value < low else high if value > high else value
