"""The agent loop: one episode from its assignment to its last event.

Durable steps of a turn, in order (docs/delivery.md): 1 where routing is replayed, the generation's side file is
written; 2 the generation, which names it, and its calls are appended and acknowledged; 3 the calls are run, in order,
up to the first that fails; 4 their observations are appended and acknowledged. A worker killed anywhere leaves a prefix
of the episode in the log, never a tool call that ran without a record of it, nor a name of a file that is not there.
"""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from trajlog.config import RunConfig
from trajlog.control_arm import debugger_arm, offered_tools
from trajlog.errors import EngineError, SandboxError
from trajlog.harness.episode import ToolSession
from trajlog.harness.guards import CallRecord
from trajlog.harness.rewards import Ending, debugger_use_fits
from trajlog.harness.sandbox import Limits, LocalSandbox, Sandbox, SandboxFactory
from trajlog.harness.task import Task
from trajlog.harness.tools import ToolResult, tool_schemas
from trajlog.producers.conversation import Conversation, Prompt
from trajlog.producers.facts import call_records, episode_reward, tool_usage
from trajlog.producers.prompts import opening_messages
from trajlog.producers.tool_calls import FORMATS, ParsedCall, described
from trajlog.schemas import (
    EpisodeFinished,
    EpisodeStarted,
    Event,
    Generation,
    Observation,
    Producer,
    ToolCall,
    VersionRun,
)
from trajlog.schemas.episode_finished import Outcome
from trajlog.serving.routed_experts import save_routed_experts
from trajlog.serving.tokenizers import Tokenizer
from trajlog.serving.wire import Completion

NOT_RUN = "not run: an earlier call of this turn failed"

Append = Callable[[Sequence[Event]], None]
"""Appends events durably, in order."""
Sample = Callable[[Prompt, int], tuple[int, Completion]]
"""(prompt, max_tokens) to (policy_version, completion). Raises EngineError. Routed experts, if any, are those from
position first_position(prompt.prefix_len) on."""


class Assignment(msgspec.Struct, frozen=True):
    """What the scheduler gave a slot."""

    run_id: str
    group_id: str
    episode_id: str
    task: Task
    attempt: int
    group_size: int | None = None
    """Members that the group is filled with; None: group.group_size of the settings."""


class Episode:
    """One episode. `run` may be called once; `cancel`, from any thread, ends it with outcome error."""

    def __init__(
        self,
        assignment: Assignment,
        config: RunConfig,
        tokenizer: Tokenizer,
        producer: Producer,
        append: Append,
        sample: Sample,
        policy_version: int,
        make_sandbox: SandboxFactory = LocalSandbox,
    ) -> None:
        self.assignment = assignment
        self._config = config
        self._tokenizer = tokenizer
        self._producer = producer
        self._append = append
        self._sample = sample
        self._policy_version = policy_version
        self._make_sandbox = make_sandbox
        self._arm = debugger_arm(config.episode)
        self._format = FORMATS[config.episode.tool_format]
        self._schemas = tool_schemas(offered_tools(config.episode))
        self._facts: list[Event] = []
        """What was appended so far, generations aside: what the reward is computed from."""
        self._seq = 0
        self._num_turns = 0
        self._num_generated = 0
        self._sandbox: Sandbox | None = None
        self._cancelled = False

    def run(self) -> EpisodeFinished:
        """Play the episode; the returned event has been appended. Infrastructure errors become outcome error.

        Raises what `append` raises, and ModelError when a side file cannot be written.
        """
        task, limits = self.assignment.task, self._limits()
        messages = opening_messages(task, debugger=self._arm == "offered")
        started = self._started(messages)
        self._append([started])
        self._facts.append(started)
        conversation = Conversation(self._tokenizer, *described(self._format, self._tokenizer, messages, self._schemas))
        try:
            with self._make_sandbox(task.workspace, limits) as sandbox:
                self._sandbox = sandbox
                tools = offered_tools(self._config.episode)
                with ToolSession(task, sandbox, tool_names=tools, guards=self._config.guards) as session:
                    ending = self._loop(conversation, session)
                    finished = self._finish(session, ending)
        except (EngineError, SandboxError) as error:
            finished = self._failed(str(error))
        self._append([finished])
        return finished

    def cancel(self) -> None:
        self._cancelled = True
        if self._sandbox is not None:
            self._sandbox.cancel()

    def _loop(self, conversation: Conversation, session: ToolSession) -> Ending:
        settings = self._config.episode
        for turn in range(settings.turn_limit):
            if self._cancelled:
                raise SandboxError("the worker is stopping")
            prompt = conversation.prompt()
            room = settings.context_limit - conversation.num_tokens()
            if room < 1:
                return "context_full"
            version, completion = self._sample(prompt, min(self._config.sampling.max_tokens, room))
            text = conversation.add_generation(completion.token_ids)
            self._num_turns += 1
            self._num_generated += len(completion.token_ids)
            calls = self._format.parse(text, self._schemas, cut=completion.finish_reason == "length")
            self._turn(conversation, session, turn, calls, self._generation(turn, prompt, version, completion, text))
            if session.done:
                return "done"
            if session.guard():
                return "guard"
            if completion.finish_reason == "length" and conversation.num_tokens() >= settings.context_limit:
                return "context_full"
        return "turn_cap"

    def _turn(
        self,
        conversation: Conversation,
        session: ToolSession,
        turn: int,
        calls: Sequence[ParsedCall],
        generation: Generation,
    ) -> None:
        ids = [f"call_{turn}_{index}" for index in range(len(calls))]
        events: list[Event] = [generation]
        for call, call_id in zip(calls, ids, strict=True):
            events.append(
                ToolCall(
                    **self._stamp(),
                    turn=turn,
                    call_id=call_id,
                    name=call.name,
                    arguments=call.arguments_text,
                    parse_error=call.error,
                )
            )
        self._append(events)  # durable step 2
        observations: list[Event] = []
        if not calls:
            result = session.format_error(self._format.no_call)
            conversation.add_result(result.content)
            observations.append(self._observation(turn, None, None, result, session, session.calls[-1]))
        failed = False
        for call, call_id in zip(calls, ids, strict=True):
            record = None
            if failed:
                result = ToolResult(content=NOT_RUN, is_error=True)
            elif call.error is not None:
                result = session.format_error(call.error)
            else:
                assert call.name is not None
                assert call.arguments is not None
                result = session.call(call.name, call.arguments)  # durable step 3
            if not failed:
                record = session.calls[-1]
            failed = failed or result.is_error
            conversation.add_result(result.content, call.name, call_id)
            observations.append(self._observation(turn, call_id, call.name, result, session, record))
        self._append(observations)  # durable step 4
        self._facts += [*events[1:], *observations]

    def _finish(self, session: ToolSession, ending: Ending) -> EpisodeFinished:
        verdict = session.judge(self._make_sandbox)
        grade = verdict.grade
        outcome: Outcome = "solved" if grade.solved else "failed" if ending == "done" else ending
        finished = EpisodeFinished(
            **self._stamp(),
            task_id=self.assignment.task.task_id,
            outcome=outcome,
            guard=session.guard() if outcome == "guard" else None,
            reward=0.0,
            reward_components={},
            num_turns=self._num_turns,
            num_generated_tokens=self._num_generated,
            tests_passed=grade.tests_passed,
            tests_failed=grade.tests_failed,
            ending=ending,
            tests_passed_before=verdict.tests_passed_before,
            changed_code=verdict.changed_code,
            localized=verdict.localized,
            flags=grade.flags,
            tool_usage=tool_usage(self._facts),
            debugger_arm=self._arm,
            debugger_fits=self._debugger_fits(),
        )
        reward, components = episode_reward([*self._facts, finished], self._config.rewards)
        return msgspec.structs.replace(finished, reward=reward, reward_components=components)

    def _debugger_fits(self) -> bool | None:
        if self._arm == "withheld":
            return None
        return debugger_use_fits(self.assignment.task.debugger, call_records(self._facts))

    def _failed(self, error: str) -> EpisodeFinished:
        return EpisodeFinished(
            **self._stamp(),
            task_id=self.assignment.task.task_id,
            outcome="error",
            error=error,
            reward=None,
            reward_components={},
            num_turns=self._num_turns,
            num_generated_tokens=self._num_generated,
            ending="error",
            tool_usage=tool_usage(self._facts),
            debugger_arm=self._arm,
        )

    def _started(self, messages: Sequence[Mapping[str, Any]]) -> EpisodeStarted:
        task, settings = self.assignment.task, self._config.episode
        sampling = self._config.sampling
        return EpisodeStarted(
            **self._stamp(),
            task_id=task.task_id,
            attempt=self.assignment.attempt,
            task_category=task.category,
            task_difficulty=task.difficulty,
            task_debugger=task.debugger,
            policy_version=self._policy_version,
            model=self._config.model.name,
            sampling={
                "temperature": sampling.temperature,
                "top_p": sampling.top_p,
                "max_tokens": float(sampling.max_tokens),
            },
            tools=msgspec.json.encode(self._schemas).decode(),
            messages=msgspec.json.encode(messages).decode(),
            context_limit=settings.context_limit,
            turn_limit=settings.turn_limit,
            debugger_arm=self._arm,
            tool_format=settings.tool_format,
            group_size=self.assignment.group_size,
        )

    def _generation(self, turn: int, prompt: Prompt, version: int, completion: Completion, text: str) -> Generation:
        uri, sha256 = self._side_file(completion)  # durable step 1
        return Generation(
            **self._stamp(),
            turn=turn,
            chain=prompt.chain,
            prefix_len=prompt.prefix_len,
            prefix_sha256=prompt.prefix_sha256,
            prompt_token_ids=prompt.new_token_ids,
            token_ids=tuple(completion.token_ids),
            logprobs=tuple(completion.logprobs),
            policy_versions=(VersionRun(version, len(completion.token_ids)),),
            text=text,
            finish_reason=completion.finish_reason,
            latency_s=completion.latency_s,
            routed_experts_uri=uri,
            routed_experts_sha256=sha256,
        )

    def _side_file(self, completion: Completion) -> tuple[str | None, str | None]:
        directory = self._config.router_replay.directory
        if not directory or completion.routed_experts is None:
            return None, None
        return save_routed_experts(Path(directory), completion.routed_experts)

    def _observation(
        self,
        turn: int,
        call_id: str | None,
        name: str | None,
        result: ToolResult,
        session: ToolSession,
        record: CallRecord | None,
    ) -> Observation:
        """`record`: what the session noted of the call; None when it was not run."""
        return Observation(
            **self._stamp(),
            turn=turn,
            call_id=call_id,
            name=name,
            content=result.content,
            truncated_bytes=result.truncated_bytes,
            is_error=result.is_error,
            exit_code=result.exit_code,
            duration_s=result.duration_s,
            tests_passed=result.tests_passed,
            tests_failed=result.tests_failed,
            format_error=record.format_error if record else False,
            changed_code=record.changed if record else None,
            debugger_state=session.debugger_state,
        )

    def _stamp(self) -> dict[str, Any]:
        assigned = self.assignment
        stamp = self._producer.stamp(
            assigned.run_id, group_id=assigned.group_id, episode_id=assigned.episode_id, seq=self._seq
        )
        self._seq += 1
        return stamp

    def _limits(self) -> Limits:
        settings = self._config.episode
        return Limits(timeout_s=settings.tool_timeout_s, kept_output_bytes=settings.max_observation_bytes)
