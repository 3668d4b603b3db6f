"""One question without a screen: text as it comes, tools run when an answer ends, and the exit code of gemini-cli.

Source: packages/cli/src/nonInteractiveCli of @google/gemini-cli 0.61.0 (2026-11-24)."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from enum import IntEnum, StrEnum
from typing import TypeAlias, assert_never

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.chat import TextOrParts
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.events import (
    ChatCompressed,
    Citation,
    Content,
    ContextWindowWillOverflow,
    Error,
    Event,
    Finished,
    InvalidStream,
    LoopDetected,
    MaxSessionTurns,
    ModelInfo,
    Retry,
    ThoughtEvent,
    ToolCallRequest,
    UsageMetadata,
    UserCancelled,
)
from bridgecheck_reference.chat.turn import Unauthorized

RunTool: TypeAlias = Callable[[ToolCallRequest], Awaitable[JsonObject]]
"""Returns the ``response`` of a call: ``{"output": ...}`` or ``{"error": ...}``."""


class ExitCode(IntEnum):
    """Of the program. An answer that cannot be used, or a prompt that is too long, ends with 0 too."""

    OK = 0
    FAILED = 1
    AUTHENTICATION = 41
    INPUT = 42
    CONFIGURATION = 52
    TURN_LIMIT = 53
    TOOL = 54
    CANCELLED = 130


class State(StrEnum):
    IDLE = "idle"
    RESPONDING = "responding"


class FatalToolError(Exception):
    """A tool says that nothing can go on."""


class Runner:
    """``write``: text of the answer, as it arrives. ``warn``: a line beside it. ``on_auth_error``: the credentials were
    not taken. ``state``: while it responds no other question is taken."""

    def __init__(
        self,
        client: ChatClient,
        run_tool: RunTool,
        write: Callable[[str], None],
        warn: Callable[[str], None],
        on_auth_error: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._client = client
        self._run_tool = run_tool
        self._write = write
        self._warn = warn
        self._on_auth_error = on_auth_error
        self._code = ExitCode.OK
        self._calls: list[ToolCallRequest] = []
        self.state = State.IDLE

    async def ask(self, message: TextOrParts, prompt_id: str, token: CancelToken | None = None) -> ExitCode | None:
        """Return the exit code, None where a question is being answered already. ``token``: of this question."""
        if self.state is State.RESPONDING:
            return None
        self.state, self._code = State.RESPONDING, ExitCode.OK
        try:
            following: TextOrParts | None = message
            while following is not None:
                following = await self._submit(following, prompt_id, token)
        except Unauthorized as error:
            self._on_auth_error(str(error))
            return ExitCode.AUTHENTICATION
        except FatalToolError as error:
            self._warn(str(error))
            return ExitCode.TOOL
        finally:
            self.state = State.IDLE
        return self._code

    async def _submit(self, message: TextOrParts, prompt_id: str, token: CancelToken | None) -> list[JsonObject] | None:
        """Return the results of the tools that the answer asked for, None without any."""
        self._calls = []
        async with aclosing(self._client.send(message, token, prompt_id=prompt_id)) as events:
            async for event in events:
                self._handle(event)
        if self._code is not ExitCode.OK or not self._calls:
            return None
        return [
            {"functionResponse": {"id": call.call_id, "name": call.name, "response": await self._run_tool(call)}}
            for call in self._calls
        ]

    def _handle(self, event: Event) -> None:
        match event:
            case Content():
                self._write(event.text)
            case ToolCallRequest():
                self._calls.append(event)
            case Error():
                self._warn(f"Error: {event.message}" + (f" (HTTP {event.status})" if event.status else ""))
                self._code = ExitCode.FAILED
            case UserCancelled():
                self._warn("Cancelled.")
                self._code = ExitCode.CANCELLED
            case MaxSessionTurns():
                self._warn("The limit of turns is reached; setting model.maxSessionTurns raises it.")
                self._code = ExitCode.TURN_LIMIT
            case LoopDetected():
                self._warn("Stopped: the model repeats itself.")
            case InvalidStream():
                self._warn(f"The answer cannot be used: {event.reason}")
            case ContextWindowWillOverflow():
                self._warn(f"The prompt needs {event.request_tokens} tokens, {event.remaining_tokens} are left.")
            case Retry():
                self._warn("The answer broke off and begins again.")
            case ThoughtEvent() | Citation() | Finished() | UsageMetadata() | ChatCompressed() | ModelInfo():
                pass
            case _:
                assert_never(event)
