"""A policy engine on transformers: continuous batching in one thread, KV reuse, an adapter a row.

Consumes requests (submit, any thread) and adapters (load_adapter); produces completions; waits for work on one
condition; is unblocked by submit and close. Each step of its thread:

1. adapters that were asked for are loaded or removed, cancelled requests leave;
2. waiting requests join while fewer than `max_batch` run, oldest first;
3. every decoding row adds one token, and a bounded part of the prompts is read beside them (batching.py);
4. one forward pass (ragged.py), one draw for each row whose prompt is done (sampling.py);
5. finished rows answer and leave their keys and values (and routers' choices) to the prefix cache.

The thread alone touches the model. Any error in a step fails the running requests and the engine (`failure`):
nothing is served from a state that may be half-written.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import torch
from transformers import AutoConfig, AutoModelForCausalLM

from trajlog.errors import EngineError, ModelError
from trajlog.kernels.lora import LoraSet, inject_lora
from trajlog.kernels.lora_experts import MixtureLora, inject_mixture_lora
from trajlog.kernels.qwen3_moe_peft import MODEL_TYPE as QWEN3_MOE
from trajlog.serving.adapters import load_adapter
from trajlog.serving.batching import Generation, plan_step, row_of
from trajlog.serving.prefix_cache import PrefixCache
from trajlog.serving.ragged import ATTENTION_NAME, Row, Span, forward
from trajlog.serving.router_choices import RouterChoices, encode_choices
from trajlog.serving.sampling import sample
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import BadRequest, Completion, CompletionRequest, EngineBusy, UnknownModel

MAX_WAITING = 1024
"""Requests that wait to join; the next one gets EngineBusy."""
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


class TransformersEngine:
    """Serves adapters on one base model: dense full-attention causal models, and Qwen3-MoE with adapters on experts.

    Others belong in vLLM. `max_batch`: requests that run together. `prefix_cache_tokens`: room for keys and values of
    finished requests. `context_limit`: longest prompt plus max_tokens; None = the model's. `routed_experts`: answers
    tell what the routers of a mixture chose. Raises ModelError.
    """

    def __init__(
        self,
        model_dir: Path,
        tokenizer: Tokenizer,
        *,
        dtype: str = "bfloat16",
        max_batch: int = 8,
        prefix_cache_tokens: int = 65536,
        context_limit: int | None = None,
        routed_experts: bool = False,
    ):
        self._model = _load(model_dir, _DTYPES[dtype])
        self._routers = RouterChoices(self._model) if routed_experts else None
        self._tokenizer = tokenizer
        self._context_limit = context_limit or int(self._model.config.max_position_embeddings)
        self._vocab_size = int(self._model.config.vocab_size)
        self._max_batch = max_batch
        self._cache = PrefixCache(prefix_cache_tokens)
        self._lora: LoraSet | MixtureLora | None = None
        self._names: dict[str, None] = {}
        self._retired: set[str] = set()
        self._waiting: deque[Generation] = deque()
        self._running: list[Generation] = []
        self._orders: deque[tuple[Callable[[], None], Future[None]]] = deque()
        self._wake = threading.Condition()
        self._closed = False
        self.failure: str | None = None
        """Why the engine can serve no more, or None."""
        self.num_generated = self.num_prompt = self.num_prompt_reused = 0
        """Tokens generated, prompt tokens asked for, and those of them that the prefix cache had."""
        self.busy_s = 0.0
        """Seconds spent in steps."""
        self._num_threads = torch.get_num_threads()
        self._thread = threading.Thread(target=self._run, name="transformers-engine", daemon=True)
        self._thread.start()

    def submit(self, request: CompletionRequest) -> "Future[Completion]":
        if max(request.prompt) >= self._vocab_size:
            raise BadRequest(f"token id {max(request.prompt)} is not below the vocabulary's {self._vocab_size}")
        if len(request.prompt) + request.max_tokens > self._context_limit:
            raise BadRequest(
                f"{len(request.prompt)} prompt tokens and max_tokens {request.max_tokens} pass the context limit of "
                f"{self._context_limit}; shorten the prompt or lower max_tokens"
            )
        stops = frozenset((*request.stop_token_ids, *self._tokenizer.stop_token_ids))
        generation = Generation(request, stops)
        with self._wake:
            self._check_open()
            if request.model not in self._names:
                raise UnknownModel(f"model {request.model!r} is not served; served are {list(self._names)}")
            if len(self._waiting) >= MAX_WAITING:
                raise EngineBusy(f"{MAX_WAITING} requests wait already; send it again in a second")
            self._waiting.append(generation)
            self._wake.notify()
        return generation.future

    def load_adapter(self, name: str, path: Path) -> None:
        tensors, config = load_adapter(path)

        def order() -> None:
            if name in self._names or name in self._retired:
                raise ModelError(f"{name} was loaded already; a name means one adapter, give this one its own")
            if self._lora is None:
                inject = inject_mixture_lora if self._model.config.model_type == QWEN3_MOE else inject_lora
                self._lora = inject(self._model, config.target_modules)
            self._lora.load(name, tensors, rank=config.r, alpha=config.lora_alpha)
            self._names[name] = None

        self._order(order)

    def unload_adapter(self, name: str) -> None:
        def order() -> None:
            if name not in self._names:
                raise UnknownModel(f"model {name!r} is not served; served are {list(self._names)}")
            del self._names[name]
            self._retired.add(name)

        self._order(order)

    def models(self) -> list[str]:
        with self._wake:
            return list(self._names)

    def close(self) -> None:
        with self._wake:
            self._closed = True
            self._wake.notify()
        self._thread.join(timeout=60.0)

    def _order(self, action: Callable[[], None]) -> None:
        """Have the engine's thread do something between two steps; returns or raises when it is done."""
        done: Future[None] = Future()
        with self._wake:
            self._check_open()
            self._orders.append((action, done))
            self._wake.notify()
        done.result()

    def _check_open(self) -> None:
        if self.failure is not None:
            raise EngineError(f"the engine has failed ({self.failure}); start it again")
        if self._closed:
            raise EngineError("the engine is closed; start another one")

    def _run(self) -> None:
        torch.set_num_threads(self._num_threads)  # OpenMP keeps the number by thread: a new one would take every core
        try:
            with torch.inference_mode():
                while self._prepare():
                    started = time.monotonic()
                    self._step()
                    self.busy_s += time.monotonic() - started
            reason = "the engine was closed"
        except Exception as error:  # reported to every waiting request and by `failure`
            reason = self.failure = f"{type(error).__name__}: {error}"
        with self._wake:
            self._closed = True
            for generation in (*self._running, *self._waiting):
                _fail(generation.future, EngineError(f"the generation was lost: {reason}"))
            for _, done in self._orders:
                _fail(done, EngineError(f"nothing was loaded or unloaded: {reason}"))

    def _prepare(self) -> bool:
        """Steps 1 and 2; waits until a row runs. False once the engine is closed."""
        with self._wake:
            while not self._closed:
                while self._orders:
                    _carry_out(*self._orders.popleft())
                self._running = [g for g in self._running if not g.future.cancelled()]
                while self._waiting and len(self._running) < self._max_batch:
                    generation = self._waiting.popleft()
                    if not generation.future.cancelled():
                        self._running.append(generation)
                self._remove_retired()
                if self._running:
                    return True
                self._wake.wait()
        return False

    def _remove_retired(self) -> None:
        used = {g.request.model for g in (*self._running, *self._waiting)}
        lora = self._lora
        for name in [n for n in self._retired - used if lora is not None and n in lora.slots]:
            assert lora is not None
            lora.set_active(None)
            lora.remove(name)
            self._cache.drop(name)

    def _step(self) -> None:
        """Steps 3 to 5."""
        planned = plan_step(self._running, self._begin)
        self._select_adapters(planned)
        logits = forward(self._model, [span for _, span in planned], self._routers)
        ready = [i for i, (g, _) in enumerate(planned) if row_of(g).num_done == len(g.tokens)]
        if not ready:
            return
        generations = [planned[i][0] for i in ready]
        tokens, logprobs = sample(
            logits[ready].cpu(),
            torch.tensor([g.request.temperature for g in generations], dtype=torch.float64),
            torch.tensor([g.request.top_p for g in generations], dtype=torch.float64),
            torch.tensor([g.draws.random() for g in generations], dtype=torch.float64),
        )
        for generation, token, logprob in zip(generations, tokens, logprobs, strict=True):
            self._take(generation, token, logprob)

    def _begin(self, generation: Generation) -> Row:
        """The row of a generation that joins, with as much of its prompt done as is known."""
        request = generation.request
        rows = [(g.request.model, g.tokens, g.row) for g in self._running if g.row is not None]
        row = self._cache.take(request.model, request.prompt, generation.capacity, rows)
        self.num_prompt += len(request.prompt)
        self.num_prompt_reused += row.num_done
        return row

    def _select_adapters(self, planned: list[tuple[Generation, Span]]) -> None:
        assert self._lora is not None, "a model name is served only with its adapter"
        names = [g.request.model for g, span in planned for _ in span.token_ids]
        if len(set(names)) == 1:
            self._lora.set_active(names[0])
        else:
            slots = [self._lora.slots[name] for name in names]
            self._lora.set_rows(torch.tensor(slots, device=self._model.device))

    def _take(self, generation: Generation, token: int, logprob: float) -> None:
        """Append a sampled token; a generation that is finished answers and leaves."""
        generation.tokens.append(token)
        generation.logprobs.append(logprob)
        self.num_generated += 1
        if logprob != logprob or logprob == float("-inf"):
            self._running.remove(generation)
            model = generation.request.model
            _fail(
                generation.future,
                EngineError(f"{model} gives no finite probabilities: its adapter holds NaN or far too large numbers"),
            )
            return
        reason = generation.finish_reason
        if reason is None:
            return
        self._running.remove(generation)
        row = row_of(generation)
        new = generation.tokens[len(generation.request.prompt) :]
        completion = Completion(
            token_ids=new,
            logprobs=generation.logprobs,
            text=self._tokenizer.decode(new[:-1] if reason == "stop" else new),
            finish_reason=reason,  # type: ignore[arg-type]
            routed_experts=None if row.choices is None else encode_choices(row.choices[: row.num_done]),
        )
        self._cache.put(generation.request.model, generation.tokens, row)
        if generation.future.set_running_or_notify_cancel():
            generation.future.set_result(completion)


def _carry_out(action: Callable[[], None], done: "Future[None]") -> None:
    try:
        action()
    except (ModelError, EngineError) as error:
        done.set_exception(error)
    else:
        done.set_result(None)


def _fail(future: "Future[Any]", error: Exception) -> None:
    if future.set_running_or_notify_cancel():
        future.set_exception(error)


def _load(model_dir: Path, dtype: torch.dtype) -> Any:
    try:
        config = AutoConfig.from_pretrained(str(model_dir), local_files_only=True)
        kinds = set(getattr(config, "layer_types", None) or ["full_attention"])
        if kinds != {"full_attention"} or getattr(config, "attn_logit_softcapping", None):
            raise ModelError(
                f"{model_dir} has layers of kind {sorted(kinds)}; this engine serves full attention only. "
                f'Serve it with vLLM (engine.kind = "vllm").'
            )
        model = AutoModelForCausalLM.from_pretrained(
            str(model_dir),
            local_files_only=True,
            use_safetensors=True,
            dtype=dtype,
            attn_implementation=ATTENTION_NAME,
        )
    except ModelError:
        raise
    except Exception as error:  # transformers raises many kinds for a broken directory
        raise ModelError(f"cannot load the model in {model_dir}: {error}. Fetch or copy it again.") from error
    return model.eval().to("cuda" if torch.cuda.is_available() else "cpu")
