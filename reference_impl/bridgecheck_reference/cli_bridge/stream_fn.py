"""gemini-cli as pi's StreamFn: ``(model, context, options) -> stream`` of events, which never raises.

One run of the program a call. The history goes in a session file, the last user's message to its standard input, both
unchanged (see ``messages`` and ``prompt``). The program has a home of its own, so nothing in a prompt reaches the
caller's files, and none of its tools, unless the caller names some.
"""

import asyncio
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeAlias

from bridgecheck_reference.cancel import cancellable_call, read_token_or_raise_conversion_error
from bridgecheck_reference.cli_bridge.assistant_events import API, AssistantEvents, Event
from bridgecheck_reference.cli_bridge.command import build_command
from bridgecheck_reference.cli_bridge.event_stream import AssistantMessageEventStream
from bridgecheck_reference.cli_bridge.messages import MessagesError, split_conversation, to_records
from bridgecheck_reference.cli_bridge.process import CliProcess
from bridgecheck_reference.cli_bridge.prompt import PromptError, carry_prompt, require_carried_instructions
from bridgecheck_reference.cli_bridge.run_folder import RunFolder
from bridgecheck_reference.errors import CallCancelled, redact

StreamFn: TypeAlias = Callable[..., AssistantMessageEventStream]

_ATTEMPTS: Final = 3
_LATE_INPUT: Final = "No input provided via stdin"
"""gemini-cli waits for its input for half a second only, which is short on a busy machine."""
_TIMED_OUT: Final = 504
_SECRET_NAME: Final = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)


def create_gemini_cli_stream_fn(
    workspace: str | os.PathLike[str],
    command: Sequence[str] = ("gemini",),
    *,
    tools: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    env: Mapping[str, str] | None = None,
    timeout_s: float = 600.0,
) -> StreamFn:
    """Return the function, to be called in a running event loop.

    ``workspace``: the program's working folder where it has tools, with the settings in there; without tools it works
    in an empty one. ``command``: how it is started. ``tools``: those of its own tools that it may use, by name and
    without a question. ``settings``: more settings for its home, as in ``settings.json`` (``mcpServers``). ``env``:
    None is this process's environment; a key stands in GEMINI_API_KEY. ``timeout_s``: of one run, in seconds.

    The function takes ``model`` (its id, an object with ``id``, or None for the program's own choice), ``context``
    (``messages``, ``systemPrompt``) and ``options`` (``signal``: a CancelToken), and returns the stream at once.
    Failures are ``error`` events, before the start of the program too.
    """
    setup = _Setup(Path(workspace), tuple(command), tuple(tools), dict(settings or {}), env, timeout_s)

    def stream_gemini_cli(
        model: object, context: Mapping[str, object], options: Mapping[str, object] | None = None
    ) -> AssistantMessageEventStream:
        stream = AssistantMessageEventStream()
        run = _Run(setup, stream, model, context, options)
        try:
            run.task = asyncio.get_running_loop().create_task(run.play())
        except RuntimeError as error:
            run.push(run.events.fail(str(error)))
        else:
            _running.add(run.task)
            run.task.add_done_callback(_running.discard)
        return stream

    return stream_gemini_cli


_running: Final[set["asyncio.Task[None]"]] = set()
"""An event loop itself keeps no strong reference to its tasks."""


class _Setup:
    """What all calls share."""

    def __init__(
        self,
        workspace: Path,
        command: tuple[str, ...],
        tools: tuple[str, ...],
        settings: dict[str, object],
        env: Mapping[str, str] | None,
        timeout_s: float,
    ) -> None:
        self.workspace = workspace
        self.command = command
        self.timeout_s = timeout_s
        self.tools = tools
        self._settings = settings
        self._env = env

    def settings(self) -> dict[str, object]:
        """Return the settings of the program's home."""
        return {
            **({"tools": {"core": list(self.tools), "allowed": list(self.tools)}} if self.tools else {}),
            **self._settings,
        }

    def environment(self, folder: RunFolder) -> dict[str, str]:
        found = dict(os.environ if self._env is None else self._env)
        return found | {
            "GEMINI_CLI_HOME": str(folder.home), "TMPDIR": str(folder.temporary), "NO_COLOR": "1",
            "GEMINI_CLI_NO_RELAUNCH": "true",
        }  # fmt: skip

    def secrets(self) -> list[str]:
        """Return the values of the environment that look like credentials."""
        source = os.environ if self._env is None else self._env
        return [value for name, value in source.items() if _SECRET_NAME.search(name)]


class _Run:
    """One call."""

    def __init__(
        self, setup: _Setup, stream: AssistantMessageEventStream, model: object, context: object, options: object
    ) -> None:
        self.task: asyncio.Task[None] | None = None
        self._setup = setup
        self._stream = stream
        found = model.get("id") if isinstance(model, Mapping) else model
        self._model = found if isinstance(found, str) and found else None
        self._context = context
        self._signal = options.get("signal") if isinstance(options, Mapping) else None
        self.events = AssistantEvents(self._model or "", int(time.time() * 1000))

    def push(self, events: Sequence[Event]) -> None:
        for event in events:
            self._stream.push(event)

    async def play(self) -> None:
        """Run to the end. Every failure is an event; a task that was cancelled pushes one, and is cancelled."""
        self.push(self.events.start())
        try:
            token = read_token_or_raise_conversion_error(self._signal, "options.signal")
            await cancellable_call(token, lambda: asyncio.wait_for(self._play(), self._setup.timeout_s))
        except CallCancelled as error:
            self.push(self.events.abort(str(error)))
        except asyncio.CancelledError:
            self.push(self.events.abort("cancelled"))
            raise
        except TimeoutError:
            self.push(self.events.fail(f"gemini-cli did not end within {self._setup.timeout_s:g} s", _TIMED_OUT))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self.push(self.events.fail(redact(text, self._setup.secrets()), _status_of(error)))

    async def _play(self) -> None:
        context = self._context
        if not isinstance(context, Mapping):
            raise MessagesError(f"context: expected an object, got {type(context).__name__}")
        conversation = split_conversation(context.get("messages"))
        prompt = carry_prompt(conversation.prompt)
        system = context.get("systemPrompt")
        instructions = require_carried_instructions(system) if isinstance(system, str) else ""
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        records = to_records(conversation.history, now)
        with RunFolder() as folder:
            folder.write_settings(self._setup.settings())
            environment = self._setup.environment(folder)
            if instructions:
                environment["GEMINI_SYSTEM_MD"] = str(folder.write_system_prompt(instructions))
            if prompt.command_file is not None:
                folder.write_command(prompt.command_file)
            session = folder.write_session(records, now) if records else None
            command = build_command(self._setup.command, model=self._model, session_file=session)
            cwd = self._setup.workspace if self._setup.tools else folder.work
            for attempt in range(_ATTEMPTS):
                if await self._run_once(folder, command, prompt.stdin, cwd, environment, attempt + 1 == _ATTEMPTS):
                    return

    async def _run_once(
        self, folder: RunFolder, command: Sequence[str], stdin: bytes, cwd: Path, env: Mapping[str, str], is_last: bool
    ) -> bool:
        """Return whether the answer has ended; it has not where the program came too late for its input."""
        process = await CliProcess.start(command, stdin, cwd=cwd, env=env)
        folder.watch_group(process.pid)
        try:
            async for data in process.output():
                self.push(self.events.feed(data))
            code = await process.wait()
        finally:
            await process.aclose()
            folder.watch_group(0)
        stderr = redact(process.stderr_tail, self._setup.secrets())
        if not is_last and code and not self.events.has_content and _LATE_INPUT in stderr:
            return False
        self.push(self.events.close(code, stderr))
        return True


def _status_of(error: Exception) -> int | None:
    """Return the HTTP status of a failure of our own: what cannot be sent, and what cannot be started."""
    if isinstance(error, MessagesError | PromptError):
        return 400
    return 503 if isinstance(error, OSError) else None


STREAM_FNS: Final[Mapping[str, Callable[..., StreamFn]]] = {API: create_gemini_cli_stream_fn}
"""Name of an API, as a model's ``api`` names it -> what makes its stream function."""
