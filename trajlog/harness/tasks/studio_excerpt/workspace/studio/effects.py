"""Effects: functions that make a stream of blocks out of another one."""


class EffectError(Exception):
    """A signal that an effect cannot work on."""


def gain(factor):
    def effect(stream):
        for block in stream:
            yield [sample * factor for sample in block]

    return effect


def delay(count):
    """Everything `count` samples later."""

    def effect(stream):
        held = [0] * count
        size = 0
        for block in stream:
            size = max(size, len(block))
            held += block
            yield held[: len(block)]
            held = held[len(block) :]
        while held:
            yield held[:size]
            held = held[size:]

    return effect


def limiter(most):
    """Refuses a signal that is louder than `most`."""

    def effect(stream):
        for block in stream:
            peak = max(abs(sample) for sample in block)
            if peak > most:
                raise EffectError(f"peak of {peak}")
            yield block

    return effect
