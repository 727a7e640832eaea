import pytest
import torch

from trajlog.kernels.documents import Documents

CPU = torch.device("cpu")


def test_documents_by_hand():
    documents = Documents.of([2, 1, 3], CPU)
    assert documents.ends.tolist() == [0, 2, 3, 6]
    assert documents.ends.dtype == torch.int32
    assert documents.positions.tolist() == [0, 1, 0, 0, 1, 2]
    assert documents.prefix == 0
    for lengths in ([], [3, 0]):
        with pytest.raises(ValueError, match="none empty"):
            Documents.of(lengths, CPU)


def test_rests_go_on_from_the_prefix():
    documents = Documents.of([3, 2, 1], CPU, shared_prefix=True)
    assert documents.prefix == 3
    assert documents.ends.tolist() == [0, 3, 5, 6]
    assert documents.positions.tolist() == [0, 1, 2, 3, 4, 3]
    with pytest.raises(ValueError, match="nothing goes on from the shared prefix"):
        Documents.of([3], CPU, shared_prefix=True)
