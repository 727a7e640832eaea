import pytest
from pipeline.stage import Stage, run_all
from pipeline.stages import Clean, DiscountPrice, Price


def test_stages_run_in_order():
    record = {"name": " pen ", "note": " ", "quantity": 3, "unit_cents": 50}
    result = run_all([Clean(), DiscountPrice(10)], record)
    assert result == {"name": "pen", "quantity": 3, "unit_cents": 50, "total_cents": 135}


def test_hook_runs_on_its_own_stage_only():
    class Upper(Stage):
        pass

    class Count(Stage):
        pass

    seen = []

    @Upper.hook("before")
    def note(record):
        seen.append(record["name"])
        return record

    run_all([Upper(), Count(), Price()], {"name": "pen", "quantity": 1, "unit_cents": 5})
    assert seen == ["pen"]


def test_unknown_moment_is_refused():
    with pytest.raises(ValueError, match="during"):
        Clean.hook("during")
