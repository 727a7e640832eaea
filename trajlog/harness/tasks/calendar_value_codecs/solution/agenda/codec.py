"""Values of registered kinds inside JSON: `{"$": tag, "v": encoded}`."""

import json
from dataclasses import dataclass
from typing import Callable

PLAIN = (bool, int, float, str, type(None))


class CodecError(TypeError):
    """There is no form for a value, or no kind for a tag."""


@dataclass(frozen=True)
class Codec:
    tag: str
    kind: type
    encode: Callable
    decode: Callable


class Registry:
    def __init__(self):
        self._by_tag = {}
        self._by_kind = {}

    def register(self, tag, kind, encode, decode):
        if tag in self._by_tag:
            raise CodecError(f"tag {tag!r} is taken")
        self._by_tag[tag] = self._by_kind[kind] = Codec(tag, kind, encode, decode)

    def codec_for(self, value):
        for kind in type(value).__mro__:
            if kind in self._by_kind:
                return self._by_kind[kind]
        raise CodecError(f"no form for a {type(value).__name__}")

    def codec_of_tag(self, tag):
        if tag not in self._by_tag:
            raise CodecError(f"unknown tag {tag!r}")
        return self._by_tag[tag]

    def pack(self, value):
        if isinstance(value, PLAIN):
            return value
        if isinstance(value, list):
            return [self.pack(item) for item in value]
        if isinstance(value, dict):
            return {key: self.pack(item) for key, item in value.items()}
        codec = self.codec_for(value)
        return {"$": codec.tag, "v": self.pack(codec.encode(value))}

    def unpack(self, packed):
        if isinstance(packed, list):
            return [self.unpack(item) for item in packed]
        if isinstance(packed, dict):
            if "$" in packed:
                return self.codec_of_tag(packed["$"]).decode(self.unpack(packed["v"]))
            return {key: self.unpack(item) for key, item in packed.items()}
        return packed

    def dumps(self, value):
        return json.dumps(self.pack(value), sort_keys=True)

    def loads(self, text):
        return self.unpack(json.loads(text))


registry = Registry()
register = registry.register
