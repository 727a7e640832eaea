"""Plans as text."""

import json

from routes.pack import Packer
from routes.unpack import UnpackError, Unpacker

FORMAT = 1


def dumps(plan):
    packer = Packer()
    root = packer.pack(plan)
    return json.dumps({"format": FORMAT, "root": root, "rows": packer.rows}, sort_keys=True)


def loads(text):
    document = json.loads(text)
    if document.get("format") != FORMAT:
        raise UnpackError(f"format {document.get('format')!r}; this version reads {FORMAT}")
    return Unpacker(document["rows"]).fill().unpack(document["root"])


def save(plan, path):
    path.write_text(dumps(plan), encoding="utf-8")


def load(path):
    return loads(path.read_text(encoding="utf-8"))
