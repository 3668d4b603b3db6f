"""``python -m bridgecheck_reference.chat.main < question.txt``: one question, its answer on stdout.

Settings: ``~/.gemini/settings.json``, then ``.gemini/settings.json``; the model is ``model.name``. A key in
GEMINI_API_KEY is enough to authenticate. Without tools."""

import asyncio
import os
import signal
import sys
import traceback
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.cancel import CancelToken
from bridgecheck_reference.chat.client import ChatClient
from bridgecheck_reference.chat.documents import child
from bridgecheck_reference.chat.events import ToolCallRequest
from bridgecheck_reference.chat.layers import Scope, parse_settings
from bridgecheck_reference.chat.runner import ExitCode, Runner
from bridgecheck_reference.chat.settings import ChatSettings
from bridgecheck_reference.config import load_config
from bridgecheck_reference.errors import ConfigError, ConversionError
from bridgecheck_reference.generator.factory import create_content_generator

DEFAULT_MODEL: Final = "gemini-2.5-flash"
_SETTINGS: Final = Path(".gemini") / "settings.json"


class _Exit(Exception):
    def __init__(self, message: str, code: ExitCode) -> None:
        super().__init__(message)
        self.code = code


def choose_auth(settings: JsonObject, env: Mapping[str, str]) -> str:
    """Return how to authenticate: as the settings say, else by key, else by a gateway's address; "" for neither."""
    chosen = child(child(settings, "security"), "auth").get("selectedType")
    if isinstance(chosen, str) and chosen:
        return chosen
    if env.get("GEMINI_API_KEY"):
        return "gemini-api-key"
    return "gateway" if env.get("GOOGLE_GEMINI_BASE_URL") else ""


def _read_settings(home: Path, folder: Path) -> JsonObject:
    files = [(scope, base / _SETTINGS) for scope, base in ((Scope.USER, home), (Scope.WORKSPACE, folder))]
    return parse_settings((scope, str(path), path.read_text("utf-8")) for scope, path in files if path.is_file())


async def _refuse_tool(call: ToolCallRequest) -> JsonObject:
    return {"error": f"there is no tool {call.name}"}


async def _run(question: str, settings: JsonObject, env: Mapping[str, str]) -> ExitCode:
    model = child(settings, "model")
    name, limit = model.get("name"), model.get("maxSessionTurns")
    generator = create_content_generator(load_config({}, env), env)
    client = ChatClient(
        generator,
        name if isinstance(name, str) else DEFAULT_MODEL,
        settings=ChatSettings(
            max_session_turns=limit if isinstance(limit, int) else 0,
            next_speaker_check=model.get("skipNextSpeakerCheck") is False,
        ),
    )
    token = CancelToken()
    asyncio.get_running_loop().add_signal_handler(signal.SIGINT, token.cancel)
    runner = Runner(client, _refuse_tool, _write, _warn, on_auth_error=_warn)
    try:
        return await runner.ask(question, "one-shot", token) or ExitCode.OK
    finally:
        _write("\n")
        await generator.close()


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _warn(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def _start(env: Mapping[str, str]) -> ExitCode:
    try:
        settings = _read_settings(Path.home(), Path.cwd())
        if not choose_auth(settings, env):
            raise _Exit("no way to authenticate: set GEMINI_API_KEY", ExitCode.AUTHENTICATION)
        question = "" if sys.stdin.isatty() else sys.stdin.read()
        if not question.strip():
            raise _Exit("no question: send it to the standard input, as in: echo hi | python -m ...", ExitCode.INPUT)
        return asyncio.run(_run(question, settings, env))
    except _Exit as error:
        _warn(str(error))
        return error.code
    except (ConfigError, ConversionError) as error:
        _warn(str(error))
        return ExitCode.CONFIGURATION


def main() -> None:
    """Ends the process with the code of ``ExitCode``; with 1 and a traceback where something unexpected happened."""
    try:
        code = _start(os.environ)
    except Exception:
        _warn(f"An unexpected critical error occurred:\n{traceback.format_exc()}")
        code = ExitCode.FAILED
    sys.exit(code)


if __name__ == "__main__":
    main()
