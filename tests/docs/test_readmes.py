"""Folders' READMEs name what is in the folder."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("folder", ["trajlog/stream", "benchmarks"])
def test_the_readme_of_a_folder_names_each_of_its_modules_and_no_other(folder):
    table = "".join(
        line
        for line in (ROOT / folder / "README.md").read_text(encoding="utf-8").splitlines(keepends=True)
        if line.startswith("| `")
    )
    named = [name for line in table.splitlines() for name in re.findall(r"`(\w+\.py)`", line.split("|")[1])]
    assert sorted(named) == sorted(path.name for path in (ROOT / folder).glob("*.py") if path.stem != "__init__")


def test_every_document_is_linked_from_the_readme_or_the_architecture():
    text = "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "docs/architecture.md"))
    linked = {Path(target).name for target in re.findall(r"\]\(([\w./-]+\.md)\)", text)}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - linked <= {"architecture.md"}


@pytest.mark.parametrize("path", sorted(ROOT.glob("*.md")) + sorted(ROOT.glob("docs/*.md")), ids=lambda path: path.name)
def test_links_between_documents_lead_somewhere(path):
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", path.read_text(encoding="utf-8"))
    assert [target for target in targets if not (path.parent / target).exists()] == []
