"""Write the golden records of kinds that have none yet: `python -m tests.golden.write`. It never overwrites one."""

from pathlib import Path

import msgspec

from tests.schemas.events import example
from trajlog.schemas import KINDS, NewRecord, encode

FOLDER = Path(__file__).parent


def path_of(kind: str, version: int) -> Path:
    return FOLDER / f"{kind}.v{version}.msgpack"


def read(path: Path) -> NewRecord:
    return msgspec.msgpack.decode(path.read_bytes(), type=NewRecord)


if __name__ == "__main__":
    for kind, cls in KINDS.items():
        path = path_of(kind, cls.version)
        if not path.exists():
            (record,) = encode([example(kind)])
            path.write_bytes(msgspec.msgpack.encode(record))
            print(f"wrote {path.name}")
