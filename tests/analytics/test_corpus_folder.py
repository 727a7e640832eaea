"""A corpus' folder is made to be handed on: its mode is the umask's."""

import os
import stat
from pathlib import Path

import pytest

from trajlog.analytics.corpus_folder import new_corpus_folder


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_a_corpus_has_the_modes_of_the_umask(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        with new_corpus_folder(tmp_path / "corpus") as draft:
            (draft / "examples.jsonl").write_text("{}\n")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "corpus").stat().st_mode) == 0o777 & ~umask
    assert stat.S_IMODE((tmp_path / "corpus" / "examples.jsonl").stat().st_mode) == 0o666 & ~umask
    assert [path.name for path in tmp_path.iterdir()] == ["corpus"]
