from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trajlog.errors import ModelError
from trajlog.serving.routed_experts import RoutedExperts, load_routed_experts, save_routed_experts

shapes = st.tuples(st.integers(0, 5), st.integers(1, 3), st.integers(1, 3))


@st.composite
def routed(draw):
    shape, dtype = draw(shapes), draw(st.sampled_from(["U8", "I16"]))
    size = shape[0] * shape[1] * shape[2] * (1 if dtype == "U8" else 2)
    return RoutedExperts(shape, dtype, draw(st.binary(min_size=size, max_size=size)))


@given(routed=routed())
def test_a_side_file_gives_back_what_was_written(tmp_path_factory, routed):
    directory = tmp_path_factory.getbasetemp() / "routed"
    assert load_routed_experts(*save_routed_experts(directory, routed)) == routed


@given(routed=routed(), data=st.data())
def test_rows_are_those_of_their_positions(routed, data):
    cut = data.draw(st.integers(0, routed.shape[0]))
    first, second = routed.positions(0, cut), routed.positions(cut, routed.shape[0])
    assert first.data + second.data == routed.data
    assert first.shape[0] == cut


def test_torch_reads_a_side_file(tmp_path):
    safetensors = pytest.importorskip("safetensors.torch")
    uri, _ = save_routed_experts(tmp_path, RoutedExperts((1, 2, 3), "U8", bytes(range(6))))
    assert safetensors.load_file(uri)["routed_experts"].tolist() == [[[0, 1, 2], [3, 4, 5]]]


def test_written_twice_it_is_one_file(tmp_path):
    written = RoutedExperts((1, 1, 2), "I16", bytes(4))
    assert save_routed_experts(tmp_path, written) == save_routed_experts(tmp_path, written)
    assert [p.suffix for p in tmp_path.rglob("*") if p.is_file()] == [".safetensors"]


def test_written_by_many_threads_at_once_it_is_one_file(tmp_path):
    written = RoutedExperts((1000, 10, 8), "U8", bytes(80_000))
    for attempt in range(20):
        folder = tmp_path / str(attempt)
        with ThreadPoolExecutor(8) as pool:
            named = {
                future.result() for future in [pool.submit(save_routed_experts, folder, written) for _ in range(8)]
            }
        assert [load_routed_experts(*name) for name in named] == [written]


def test_a_changed_a_cut_and_a_missing_file_are_named(tmp_path):
    uri, sha256 = save_routed_experts(tmp_path, RoutedExperts((2, 1, 1), "U8", b"ab"))
    path, whole = Path(uri), Path(uri).read_bytes()
    path.write_bytes(whole[:-1] + b"c")
    with pytest.raises(ModelError, match="SHA-256 differs"):
        load_routed_experts(uri, sha256)
    path.write_bytes(whole[:-1])
    with pytest.raises(ModelError, match="promises"):
        load_routed_experts(uri, sha256)
    path.unlink()
    with pytest.raises(ModelError, match="does not exist"):
        load_routed_experts(uri, sha256)
