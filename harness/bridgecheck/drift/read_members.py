"""What every whole answer has, and clients and converters read, beside what the wire types require.

An answer may lack what is optional; what stands here may be missing only where ``unless`` says so.
"""

from dataclasses import dataclass
from typing import Final

from bridgecheck.drift.finding import Severity
from bridgecheck.wire import Dialect, Mode


@dataclass(frozen=True, slots=True)
class ReadMember:
    """``path``: of ``members``; one of its objects in an answer has it, and it is not null. ``unless``: paths of
    members any of which, in the same answer, explains its absence. ``within``: objects that must be there for it to be
    due, ``condition``: a member that must be. ``mode``: None for both. ``needs_usage``: only where the request asks for
    usage."""

    dialect: Dialect
    path: str
    severity: Severity
    reason: str
    mode: Mode | None = None
    unless: tuple[str, ...] = ()
    within: str = ""
    condition: str = ""
    needs_usage: bool = False


_INSTEAD_OF_TEXT: Final = tuple(
    f"choices[].message.{name}"
    for name in (
        "tool_calls", "function_call", "refusal", "audio", "reasoning_content", "reasoning", "reasoning_details",
        "images",
    )
)  # fmt: skip
_BLOCKED: Final = ("promptFeedback.blockReason",)

READ_MEMBERS: Final[tuple[ReadMember, ...]] = (
    ReadMember("gemini", "candidates", "breaking", "the answer stands in it", unless=_BLOCKED),
    ReadMember("gemini", "candidates[].finishReason", "breaking", "it says why the answer ended",
               within="candidates[]"),
    ReadMember("gemini", "usageMetadata", "breaking", "token counts are read from it"),
    ReadMember("gemini", "usageMetadata.promptTokenCount", "breaking", "a token count", within="usageMetadata"),
    ReadMember("gemini", "usageMetadata.totalTokenCount", "breaking", "a token count", within="usageMetadata"),
    ReadMember(
        "gemini", "usageMetadata.candidatesTokenCount", "breaking", "a token count",
        within="candidates[].content.parts[]",
        unless=("candidates[].content.parts[].thought",), condition="usageMetadata.promptTokenCount",
    ),
    ReadMember(
        "gemini", "candidates[].content.parts[].thoughtSignature", "breaking",
        "Gemini 3 refuses a call that comes back without it", within="candidates[].content.parts[].functionCall",
        condition="usageMetadata.thoughtsTokenCount",
    ),
    ReadMember("gemini", "modelVersion", "notable", "clients get it as the name of the model"),
    ReadMember("gemini", "responseId", "notable", "clients get it as the id of the answer"),
    ReadMember("gemini", "candidates[].content.role", "notable", "clients send it back with the turn",
               within="candidates[].content.parts[]"),
    ReadMember("gemini", "candidates[].content.parts[].functionCall.name", "breaking", "a call without a name",
               within="candidates[].content.parts[].functionCall"),
    ReadMember("openai-chat", "usage", "breaking", "token counts are read from it", needs_usage=True),
    ReadMember("openai-chat", "choices[].finish_reason", "breaking", "it says why the answer ended",
               within="choices[]"),
    ReadMember("openai-chat", "choices[].delta.role", "notable", "clients begin a message with it", mode="stream",
               within="choices[].delta"),
    ReadMember("openai-chat", "choices[].message.content", "breaking", "the answer stands in it", mode="unary",
               within="choices[].message", unless=_INSTEAD_OF_TEXT),
    ReadMember("openai-chat", "choices[].delta.tool_calls[function].id", "breaking", "results name the call by it",
               mode="stream", within="choices[].delta.tool_calls[function]"),
    ReadMember("openai-chat", "choices[].delta.tool_calls[function].function.name", "breaking", "a call without a name",
               mode="stream", within="choices[].delta.tool_calls[function].function"),
    ReadMember("anthropic", "stop_reason", "breaking", "it says why the answer ended", mode="unary"),
    ReadMember("anthropic", "[message_delta].delta.stop_reason", "breaking", "it says why the answer ended",
               mode="stream", within="[message_delta].delta"),
    ReadMember("anthropic", "content[thinking].signature", "breaking", "thinking is refused without it when it "
               "comes back", mode="unary", within="content[thinking]"),
    ReadMember("anthropic", "[content_block_delta].delta(signature_delta)", "breaking", "thinking is refused without a "
               "signature when it comes back", mode="stream", within="[content_block_delta].delta(thinking_delta)"),
)  # fmt: skip
