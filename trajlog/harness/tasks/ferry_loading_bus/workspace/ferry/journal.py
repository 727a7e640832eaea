"""The printed journal of a sailing."""


def entry(topic, message):
    if topic == "checked_in":
        towed = "".join(f" + {length:.2f}" for length in message["trailers"])
        return f"in  {message['plate']} {message['kind']} {message['length']:.2f}{towed}"
    if topic == "cancelled":
        return f"out {message['plate']}" + (" late" if message.get("late") else "")
    return f"?   {topic}"


def journal(bus, topic=None):
    return [entry(name, message) for name, message in bus.past(topic)]
