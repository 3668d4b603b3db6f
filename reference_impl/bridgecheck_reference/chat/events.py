"""What a turn says while it runs: a closed union of events, for ``match`` with ``assert_never``.

``EventType`` lists every kind that gemini-cli 0.61.0 knows, and ``usage_metadata`` of its older design. Those of hooks,
confirmations and tool results come from the program around the chat: they are names here without an event."""

from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.chat.thoughts import Thought


class EventType(StrEnum):
    CONTENT = "content"
    TOOL_CALL_REQUEST = "tool_call_request"
    TOOL_CALL_RESPONSE = "tool_call_response"
    TOOL_CALL_CONFIRMATION = "tool_call_confirmation"
    USER_CANCELLED = "user_cancelled"
    ERROR = "error"
    CHAT_COMPRESSED = "chat_compressed"
    THOUGHT = "thought"
    MAX_SESSION_TURNS = "max_session_turns"
    FINISHED = "finished"
    LOOP_DETECTED = "loop_detected"
    CITATION = "citation"
    RETRY = "retry"
    CONTEXT_WINDOW_WILL_OVERFLOW = "context_window_will_overflow"
    INVALID_STREAM = "invalid_stream"
    MODEL_INFO = "model_info"
    AGENT_EXECUTION_STOPPED = "agent_execution_stopped"
    AGENT_EXECUTION_BLOCKED = "agent_execution_blocked"
    USAGE_METADATA = "usage_metadata"


@dataclass(frozen=True, slots=True)
class Content:
    """Text of one event of the answer. ``trace_id``: its ``responseId``, "" without one."""

    type: ClassVar = EventType.CONTENT
    text: str
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class ThoughtEvent:
    type: ClassVar = EventType.THOUGHT
    thought: Thought
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class ToolCallRequest:
    """A call that the program is to run. ``call_id``: ``{name}__{id}``, as the history has it; requests leave out the
    name again."""

    type: ClassVar = EventType.TOOL_CALL_REQUEST
    call_id: str
    name: str
    args: JsonObject
    prompt_id: str = ""
    trace_id: str = ""


@dataclass(frozen=True, slots=True)
class Citation:
    """Every source of the answer, sorted, one a line, before ``Finished``."""

    type: ClassVar = EventType.CITATION
    text: str


@dataclass(frozen=True, slots=True)
class Finished:
    """``usage``: of the event with the finish reason, None where it has none."""

    type: ClassVar = EventType.FINISHED
    reason: str
    usage: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class UsageMetadata:
    """The last usage of the answer, behind everything else; only on request (``ChatSettings.usage_event``)."""

    type: ClassVar = EventType.USAGE_METADATA
    usage: JsonObject
    api_time_ms: float


@dataclass(frozen=True, slots=True)
class Retry:
    """The answer begins again: what came before is void."""

    type: ClassVar = EventType.RETRY


@dataclass(frozen=True, slots=True)
class InvalidStream:
    """The answer cannot be used, and was tried often enough. ``reason``: one of ``answer.Invalid``."""

    type: ClassVar = EventType.INVALID_STREAM
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Error:
    """``status``: HTTP status, None where there is none, and for a model that does not exist."""

    type: ClassVar = EventType.ERROR
    message: str
    status: int | None = None


@dataclass(frozen=True, slots=True)
class UserCancelled:
    type: ClassVar = EventType.USER_CANCELLED


@dataclass(frozen=True, slots=True)
class ChatCompressed:
    """Token counts as they were estimated."""

    type: ClassVar = EventType.CHAT_COMPRESSED
    original_tokens: int
    new_tokens: int


@dataclass(frozen=True, slots=True)
class ContextWindowWillOverflow:
    type: ClassVar = EventType.CONTEXT_WINDOW_WILL_OVERFLOW
    request_tokens: int
    remaining_tokens: int


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """The model that a prompt is sent to, before its first answer."""

    type: ClassVar = EventType.MODEL_INFO
    model: str


@dataclass(frozen=True, slots=True)
class MaxSessionTurns:
    type: ClassVar = EventType.MAX_SESSION_TURNS


@dataclass(frozen=True, slots=True)
class LoopDetected:
    type: ClassVar = EventType.LOOP_DETECTED


Event: TypeAlias = (
    Content | ThoughtEvent | ToolCallRequest | Citation | Finished | UsageMetadata | Retry | InvalidStream | Error
    | UserCancelled | ChatCompressed | ContextWindowWillOverflow | ModelInfo | MaxSessionTurns | LoopDetected
)  # fmt: skip
"""Every event that a client gives."""
