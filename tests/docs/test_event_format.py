import importlib.util
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "docs" / "event_format.py"


def test_the_event_format_page_says_what_the_schemas_say():
    spec = importlib.util.spec_from_file_location("event_format", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.TARGET.read_text(encoding="utf-8") == module.render(), "run: python docs/event_format.py"
