"""Routed experts in an answer: both engines' forms give the same rows, and what stands for no routing is never one."""

import base64
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.serving.routing_engine import RoutingEngine, row, rows_of
from trajlog.serving.client import EngineClient
from trajlog.serving.routed_experts import RoutedExperts
from trajlog.serving.routed_experts_wire import encode_routed_experts
from trajlog.serving.scripted_engine import Script
from trajlog.serving.server import EngineServer
from trajlog.serving.tokenizers import ByteTokenizer
from trajlog.serving.wire import Completion, CompletionRequest, decode_completion, encode_completion

np = pytest.importorskip("numpy")


def vllm_npy(rows, dtype):
    """As vLLM 0.22 and later encode it: numpy.save, base64."""
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(rows, dtype))
    return {}, {"routed_experts": base64.b64encode(buffer.getvalue()).decode()}


def vllm_lists(rows, prompt_tokens, spare):
    """As vLLM 0.21 does: the prompt's beside the choices; of the last token none, or one that was never fed."""
    generated = rows[prompt_tokens:].tolist() + [[[0] * rows.shape[2]] * rows.shape[1]] * spare
    return {"prompt_routed_experts": rows[:prompt_tokens].tolist()}, {"routed_experts": generated}


def decoded(fields, prompt_tokens, generated, start):
    answer, choice = fields
    choice = {
        "text": "",
        "finish_reason": "stop",
        "token_ids": [7] * generated,
        "logprobs": {"token_logprobs": [-1.0] * generated},
        **choice,
    }
    request = CompletionRequest(model="m", prompt=[1] * prompt_tokens, max_tokens=9, routed_experts_prompt_start=start)
    return decode_completion(json.dumps({**answer, "choices": [choice]}).encode(), request, 0.0)


@st.composite
def answers(draw, most=2**15 - 1):
    """(prompt tokens, generated tokens, start, rows of all positions)"""
    prompt_tokens, generated = draw(st.integers(1, 6)), draw(st.integers(1, 5))
    layers, chosen = draw(st.integers(1, 3)), draw(st.integers(2, 4))
    expert = st.integers(0, draw(st.sampled_from([7, 255, most])))
    choice = st.lists(expert, min_size=chosen, max_size=chosen, unique=True)
    positions = prompt_tokens + generated - 1
    rows = [[draw(choice) for _ in range(layers)] for _ in range(positions)]
    start = draw(st.integers(0, prompt_tokens - 1))
    return prompt_tokens, generated, start, np.asarray(rows).reshape(positions, layers, chosen)


@given(answer=answers(), data=st.data())
def test_every_documented_form_gives_the_rows_from_the_start_on(answer, data):
    prompt_tokens, generated, start, rows = answer
    fits = [name for name in ("uint8", "uint16", "int16", "int32") if rows.max(initial=0) <= np.iinfo(name).max]
    form = data.draw(st.sampled_from(["trims", "sends all", "lists"]))
    if form == "lists":
        fields = vllm_lists(rows, prompt_tokens, data.draw(st.integers(0, 1)))
    else:
        fields = vllm_npy(rows[start if form == "trims" else 0 :], data.draw(st.sampled_from(fits)))
    completion = decoded(fields, prompt_tokens, generated, start)
    assert completion.routing_fault is None
    assert rows_of(completion.routed_experts) == rows[start:].tolist()
    assert completion.routed_experts.dtype == ("U8" if rows[start:].max() < 256 else "I16")


@given(answer=answers())
def test_our_servers_answer_is_what_numpy_reads_and_what_the_client_reads(answer):
    prompt_tokens, generated, start, rows = answer
    dtype = "U8" if rows.max() < 256 else "I16"
    routed = RoutedExperts(rows.shape, dtype, rows.astype({"U8": "u1", "I16": "<i2"}[dtype]).tobytes())
    request = CompletionRequest(model="m", prompt=[1] * prompt_tokens, max_tokens=9, routed_experts_prompt_start=start)
    completion = Completion(
        token_ids=[7] * generated, logprobs=[-1.0] * generated, text="", finish_reason="stop", routed_experts=routed
    )
    body = encode_completion("cmpl-1", request, completion)
    text = json.loads(body)["choices"][0]["routed_experts"]
    assert np.load(io.BytesIO(base64.b64decode(text)), allow_pickle=False).tolist() == rows[start:].tolist()
    assert rows_of(decode_completion(body, request, 0.0).routed_experts) == rows[start:].tolist()


ROWS = np.asarray([[[1, 2], [3, 0]], [[2, 1], [0, 3]], [[0, 2], [1, 3]], [[3, 1], [2, 0]]])
"""Of 3 prompt tokens and 2 generated ones: 4 positions, 2 layers, 2 experts each."""


def with_stand_in(position, number, layer=slice(None)):
    rows = ROWS.copy()
    rows[position, layer] = number
    return rows


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        (vllm_lists(with_stand_in(1, -1), 3, 0), "numbers from -1 to 3: of some positions the routing was not kept"),
        (vllm_npy(with_stand_in(2, 0), "uint8"), "names one expert twice at position 2"),
        (vllm_npy(with_stand_in(3, 255), "uint8"), "names one expert twice at position 3"),
        (vllm_npy(with_stand_in(1, 65535), "uint16"), "to 65535"),
        (vllm_npy(with_stand_in(2, 0, layer=1), "uint8"), "names one expert twice at position 2"),
        (vllm_npy(with_stand_in(1, 300, layer=0), "uint16"), "names one expert twice at position 1"),
        (vllm_npy(ROWS[:2], "uint8"), "2 rows; positions 1 to 3 were asked for"),
        (vllm_npy(np.concatenate([ROWS, ROWS[:1]]), "uint8"), "5 rows"),
        (vllm_npy(ROWS[:, 0], "uint8"), "no array"),
        (vllm_npy(ROWS, "float32"), "no array"),
        (vllm_npy(np.asfortranarray(ROWS), "uint8"), "no array"),
        (({}, {"routed_experts": encode_routed_experts(RoutedExperts((4, 2, 2), "U8", bytes(16)))[:-8]}), "no array"),
        (({}, {"routed_experts": "not base64!"}), "no array"),
        (({}, {"routed_experts": base64.b64encode(b"\x93NUMPY\x01\x00\xff").decode()}), "no array"),
        (({}, {"routed_experts": ROWS[3:].tolist()}), "neither text nor lists with the prompt's"),
        (({"prompt_routed_experts": ROWS[:2].tolist()}, {"routed_experts": ROWS[3:].tolist()}), "have 2 and 1 rows"),
        (({"prompt_routed_experts": ROWS[:3].tolist()}, {"routed_experts": [[[1, 2], [3]]]}), "different lengths"),
        (({"prompt_routed_experts": ROWS[:3].tolist()}, {"routed_experts": [[[1, 2], [3, 2**40]]]}), "no expert's"),
    ],
)
def test_routing_that_lacks_a_position_is_a_fault_with_its_reason_and_the_completion_stays(fields, words):
    completion = decoded(fields, 3, 2, 1)
    assert completion.routed_experts is None
    assert words in completion.routing_fault
    assert completion.token_ids == [7, 7]


def test_a_stand_in_before_the_positions_asked_for_does_not_matter():
    completion = decoded(vllm_lists(with_stand_in(0, -1), 3, 0), 3, 2, 1)
    assert rows_of(completion.routed_experts) == ROWS[1:].tolist()


@pytest.mark.parametrize("choice", [{}, {"routed_experts": None}])
def test_an_answer_without_routing_is_no_fault(choice):
    completion = decoded(({}, choice), 3, 2, 0)
    assert (completion.routed_experts, completion.routing_fault) == (None, None)


def test_routing_is_not_read_where_nobody_asked_for_it():
    completion = decoded(({}, {"routed_experts": "not base64!"}), 3, 2, None)
    assert (completion.routed_experts, completion.routing_fault) == (None, None)


def test_over_http_only_the_rows_that_are_wanted_travel():
    engine, prompt = RoutingEngine(ByteTokenizer(), [Script("", ("hello",))], names=["m"]), ByteTokenizer().encode("hi")
    with EngineServer(engine) as server, EngineClient(server.url) as client:
        whole = client.complete("m", prompt, 9, routed_experts_start=0)
        tail = client.complete("m", prompt, 9, routed_experts_start=1)
        none = client.complete("m", prompt, 9)
    expected = [row(*place) for place in enumerate([*prompt, *whole.token_ids][:-1])]
    assert rows_of(whole.routed_experts) == expected
    assert rows_of(tail.routed_experts) == expected[1:]
    assert none.routed_experts is None
    assert engine.starts == [0, 1, None]
