"""The wire: what is refused and why, and that vLLM's answers are read as ours are."""

import json

import pytest

from trajlog.errors import EngineError
from trajlog.serving.wire import (
    BadRequest,
    Completion,
    CompletionRequest,
    UnknownModel,
    decode_completion,
    decode_request,
    encode_completion,
    policy_name,
    policy_version,
)

GOOD = {"model": "policy-000001", "prompt": [1, 2], "max_tokens": 4}
REQUEST = CompletionRequest(model="policy-000001", prompt=[1, 2, 3], max_tokens=4)


def test_defaults_are_the_unbiased_sampling_settings() -> None:
    request = decode_request(json.dumps(GOOD).encode())
    assert (request.temperature, request.top_p, request.seed, request.stop_token_ids) == (1.0, 1.0, None, [])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prompt": "hello"}, "send token ids"),
        ({"prompt": []}, "prompt is empty"),
        ({"prompt": [3, -1]}, "negative token id -1"),
        ({"max_tokens": 0}, "max_tokens is 0"),
        ({"temperature": -0.5}, "temperature is -0.5"),
        ({"top_p": 0.0}, "top_p is 0.0"),
        ({"top_p": 1.5}, "top_p is 1.5"),
        ({"routed_experts_prompt_start": 2}, "routed_experts_prompt_start is 2; it must be below 2"),
        ({"n": 2}, r"\$\.n"),
        ({"logprobs": 5}, "logprobs"),
        ({"stream": True}, "stream"),
        ({"stop": ["x"]}, "unknown field `stop`; known are model, prompt"),
    ],
)
def test_a_wrong_request_is_refused_by_field(change: dict, words: str) -> None:
    with pytest.raises(BadRequest, match=words):
        decode_request(json.dumps({**GOOD, **change}).encode())


def test_a_body_that_is_not_json_is_refused() -> None:
    with pytest.raises(BadRequest, match="not JSON"):
        decode_request(b"{")


def test_an_answer_survives_the_wire_exactly() -> None:
    completion = Completion(
        token_ids=[5, 257], logprobs=[-0.123456789012345, None], text="\u2028\x00", finish_reason="stop"
    )
    body = encode_completion("cmpl-1", REQUEST, completion)
    assert decode_completion(body, REQUEST, 0.0) == completion
    assert json.loads(body)["usage"] == {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def test_vllms_answer_is_read_and_its_stand_in_for_no_logprob_becomes_null() -> None:
    body = {
        "id": "cmpl-8",
        "object": "text_completion",
        "choices": [
            {
                "index": 0,
                "text": " a b",
                "logprobs": {
                    "text_offset": [0, 2],
                    "token_logprobs": [-1.5, -9999.0],
                    "tokens": [" a", " b"],
                    "top_logprobs": [{" a": -1.5}, {" b": -9999.0}],
                },
                "finish_reason": "length",
                "stop_reason": None,
                "token_ids": [11, 12],
                "prompt_token_ids": [1, 2],
            }
        ],
    }
    completion = decode_completion(json.dumps(body).encode(), REQUEST, 0.5)
    assert completion.logprobs == [-1.5, None]
    assert (completion.token_ids, completion.finish_reason, completion.latency_s) == ([11, 12], "length", 0.5)


@pytest.mark.parametrize(
    "choice",
    [
        {"text": "a", "finish_reason": "stop", "logprobs": {"token_logprobs": [-1.0]}},
        {"text": "a", "finish_reason": "stop", "token_ids": [1], "logprobs": None},
        {"text": "a", "finish_reason": "abort", "token_ids": [1], "logprobs": {"token_logprobs": [-1.0]}},
        {"text": "a", "finish_reason": "stop", "token_ids": [1, 2], "logprobs": {"token_logprobs": [-1.0]}},
    ],
)
def test_an_answer_that_training_cannot_use_is_an_error(choice: dict) -> None:
    with pytest.raises(EngineError):
        decode_completion(json.dumps({"choices": [choice]}).encode(), REQUEST, 0.0)


def test_policy_names_are_padded_and_reversible() -> None:
    assert policy_name(17) == "policy-000017"
    assert [policy_version(policy_name(v)) for v in (0, 17, 1_234_567)] == [0, 17, 1_234_567]
    for name in ("policy-17", "policy-", "smollm2", "policy-00001x"):
        with pytest.raises(UnknownModel):
            policy_version(name)
