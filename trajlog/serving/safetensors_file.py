"""The header of a safetensors file, read and checked without torch: 8 bytes of length, JSON, then the tensors."""

import json
import struct
from pathlib import Path
from typing import Any

from trajlog.errors import ModelError

_MAX_HEADER_BYTES = 100 * 1024 * 1024


def read_header(file: Path, remedy: str) -> tuple[dict[str, Any], int]:
    """Tensor entries by name ({dtype, shape, data_offsets}) and the offset at which data begin.

    Raises ModelError with `remedy` (what to do next) when the file is missing, is not safetensors or is cut off.
    """
    try:
        size = file.stat().st_size
        with file.open("rb") as stream:
            (length,) = struct.unpack("<Q", stream.read(8))
            if length > _MAX_HEADER_BYTES:
                raise ValueError(f"its header claims {length} bytes")
            header = json.loads(stream.read(length))
        header.pop("__metadata__", None)
        expected = 8 + length + max((entry["data_offsets"][1] for entry in header.values()), default=0)
    except FileNotFoundError as error:
        raise ModelError(f"{file} does not exist. {remedy}") from error
    except (OSError, ValueError, struct.error, KeyError, TypeError, AttributeError) as error:
        raise ModelError(f"{file} is not a safetensors file: {error}. {remedy}") from error
    if size != expected:
        raise ModelError(f"{file} has {size} bytes where its header promises {expected}. {remedy}")
    return header, 8 + length
