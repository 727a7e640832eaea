import msgspec
import pytest

from trajlog.errors import TaskError
from trajlog.harness.authoring.skeleton import skeleton
from trajlog.harness.authoring.write import write_task
from trajlog.harness.task import load_task

TASK = skeleton("pages", "iteration", 1, "optional")


def test_a_written_task_is_read_back_the_same(tmp_path):
    written = write_task(tmp_path / "tasks", TASK)
    assert written == load_task(tmp_path / "tasks" / "pages")
    assert msgspec.structs.replace(written, statement="") == msgspec.structs.replace(TASK, statement="")


def test_a_task_is_never_written_over_another(tmp_path):
    write_task(tmp_path, TASK)
    with pytest.raises(TaskError, match=r"pages exists\. Remove it"):
        write_task(tmp_path, TASK)


@pytest.mark.parametrize("task_id", ["Pages", "two words", "../pages", "", "/tmp/pages", "pages\n"])
def test_what_is_no_id_is_refused_before_anything_is_written(tmp_path, task_id):
    with pytest.raises(TaskError, match="the folder's name is the task id"):
        write_task(tmp_path / "tasks", msgspec.structs.replace(TASK, task_id=task_id))
    assert list(tmp_path.iterdir()) == []
