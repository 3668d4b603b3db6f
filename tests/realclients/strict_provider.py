"""A provider that plays scripted answers on 127.0.0.1, and refuses what its API refuses, in that API's own errors.

``StrictProvider`` speaks Gemini, OpenAI Chat or Anthropic. A refused request does not take an answer of the script and
stands in ``refused``; what the real API would answer with 200 is in ``log``. The rules: ``strict_rules``."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote, urlsplit

from bridgecheck.codec import sse
from bridgecheck.model.exchange import HttpRequest
from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.upstream.listener import AsyncScriptServer, Reply
from bridgecheck.upstream.wire_response import JSON_TYPE, WireResponse
from bridgecheck.wire import Dialect, JsonObject

from .strict_rules import ApiRequest, Operation, Problem, first_problem
from .strict_shapes import decode_base64

_PATHS: Final[dict[Dialect, re.Pattern[str]]] = {
    "gemini": re.compile(
        r"/v1(?:beta|alpha)?/models/(?P<model>[^/:]+):(?:generateContent|streamGenerateContent|(?P<count>countTokens)"
        r"|(?P<embed>embedContent|batchEmbedContents))"
    ),
    "openai-chat": re.compile(r"/v1/(?:chat/completions|(?P<embed>embeddings))(?P<count>)(?P<model>)"),
    "anthropic": re.compile(r"/v1/messages(?P<count>/count_tokens)?(?P<embed>)(?P<model>)"),
}
"""What is served. Of embeddings only the credentials are looked at."""
_KEY_HEADERS: Final[dict[Dialect, tuple[str, ...]]] = {
    "gemini": ("x-goog-api-key", "authorization"), "openai-chat": ("authorization",),
    "anthropic": ("x-api-key", "authorization"),
}  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """What a request was refused for. ``problem.rule`` names it in tests."""

    status: int
    problem: Problem


class StrictServer(AsyncScriptServer):
    """The server itself; ``StrictProvider`` runs one in a thread."""

    def __init__(self, dialect: Dialect, takes_all: bool) -> None:
        super().__init__((), {"gemini": "", "openai-chat": "/v1", "anthropic": ""}[dialect])
        self.dialect = dialect
        self.takes_all = takes_all
        self.refused: list[Refusal] = []
        self.signatures: set[object] = set()

    def play(self, responses: tuple[WireResponse, ...]) -> None:
        self._responses = responses
        self.log.clear()
        self.refused.clear()
        self.misses = 0

    def _reply(self, request: HttpRequest, raw: bytes) -> Reply:
        refusal = self._refusal(request)
        if refusal is not None:
            self.refused.append(refusal)
            if not self.takes_all:
                return Reply(error_response(self.dialect, refusal))
        number = len(self.log)
        if number < len(self._responses):
            self.signatures.update(given_signatures(self.dialect, self._responses[number]))
        return super()._reply(request, raw)

    def _refusal(self, request: HttpRequest) -> Refusal | None:
        path = unquote(urlsplit(request.path).path)
        match = _PATHS[self.dialect].fullmatch(path)
        if match is None:
            return Refusal(404, Problem("path", f"Not found: {path}"))
        headers = dict(request.headers)
        query = urlsplit(request.path).query
        has_key = any(headers.get(name) for name in _KEY_HEADERS[self.dialect]) or "key=" in query
        if not has_key:
            return Refusal(*_NO_KEY[self.dialect])
        if self.dialect == "anthropic" and not headers.get("anthropic-version"):
            return Refusal(400, Problem("version", "anthropic-version: header is required"))
        try:
            body = json.loads(request.body)
        except ValueError:
            body = None
        if not isinstance(body, dict):
            return Refusal(400, Problem("json", "The request body is not valid JSON."))
        problem = None if match["embed"] else first_problem(self._api_request(match, body))
        return None if problem is None else Refusal(400, problem)

    def _api_request(self, match: re.Match[str], body: JsonObject) -> ApiRequest:
        operation: Operation = "count" if match["count"] else "generate"
        body = obj(body.get("generateContentRequest")) or body
        model = match["model"] or text(body.get("model"))
        return ApiRequest(self.dialect, body, model, operation, frozenset(self.signatures))


_NO_KEY: Final[dict[Dialect, tuple[int, Problem]]] = {
    "gemini": (403, Problem("key", "Method doesn't allow unregistered callers (callers without established identity). "
        "Please use API Key or other form of API consumer identity to call this API.")),
    "openai-chat": (401, Problem("key", "You didn't provide an API key.")),
    "anthropic": (401, Problem("key", "x-api-key header is required")),
}  # fmt: skip
_STATUS_PROBLEMS: Final = {400: "INVALID_ARGUMENT", 403: "PERMISSION_DENIED", 404: "NOT_FOUND"}
_TYPES: Final = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}


def error_response(dialect: Dialect, refusal: Refusal) -> WireResponse:
    """Return the refusal in the envelope that recordings show: vertex otel-contrib/0036, openai ai-gateway/0010,
    anthropic maruel-genai/0053."""
    status, problem = refusal.status, refusal.problem
    document: JsonObject
    if dialect == "gemini":
        document = {"error": {"code": status, "message": problem.message, "status": _STATUS_PROBLEMS[status]}}
    elif dialect == "openai-chat":
        document = {
            "error": {
                "message": problem.message, "type": "invalid_request_error", "param": problem.path or None,
                "code": problem.code,
            }
        }  # fmt: skip
    else:
        error: JsonObject = {"type": _TYPES[status], "message": problem.message}
        document = {"type": "error", "error": error, "request_id": "req_strict"}
    return WireResponse(status, (("content-type", JSON_TYPE),), (json.dumps(document).encode(),))


def given_signatures(dialect: Dialect, response: WireResponse) -> set[object]:
    """Return the signatures that an answer gives: Gemini's as bytes, Anthropic's with their thinking."""
    documents = _documents(response)
    if dialect == "gemini":
        found = (text(part.get("thoughtSignature")) for document in documents for part in _gemini_parts(document))
        return {decode_base64(value) for value in found if value}
    return set(_anthropic_signatures(documents)) if dialect == "anthropic" else set()


def _documents(response: WireResponse) -> list[JsonObject]:
    body = b"".join(response.writes)
    if dict(response.headers).get("content-type") != sse.MEDIA_TYPE:
        return [obj(json.loads(body))] if body else []
    lines = (line.removeprefix(b"data:").strip() for line in body.splitlines() if line.startswith(b"data:"))
    return [obj(json.loads(line)) for line in lines if line and line != b"[DONE]"]


def _gemini_parts(document: JsonObject) -> Iterator[JsonObject]:
    for candidate in objs(document.get("candidates")):
        yield from objs(obj(candidate.get("content")).get("parts"))


def _anthropic_signatures(documents: list[JsonObject]) -> Iterator[object]:
    """Yield (thinking, signature) of each thinking block, and the data of each redacted one."""
    blocks: dict[object, dict[str, str]] = {}
    for document in documents:
        for at, block in enumerate(objs(document.get("content"))):
            blocks[at] = {key: text(block.get(key)) for key in ("thinking", "signature", "data")}
        if document.get("type") == "content_block_start":
            block = obj(document.get("content_block"))
            blocks[document.get("index")] = {key: text(block.get(key)) for key in ("thinking", "signature", "data")}
        if document.get("type") == "content_block_delta":
            for key in ("thinking", "signature"):
                blocks[document.get("index")][key] += text(obj(document.get("delta")).get(key))
    for block in blocks.values():
        if block["signature"]:
            yield block["thinking"], block["signature"]
        if block["data"]:
            yield block["data"]


class StrictProvider:
    """``with StrictProvider(dialect) as provider``. ``play`` sets the answers of the next requests; ``log`` and
    ``bodies`` are the requests taken since then, ``refused`` those that were not. Signatures stay known over plays.
    ``takes_all``: answer what is refused as well, to see what a client sends that is at fault itself."""

    def __init__(self, dialect: Dialect, *, takes_all: bool = False) -> None:
        self.dialect = dialect
        self._server = StrictServer(dialect, takes_all)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "StrictProvider":
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._server.__aenter__(), self._loop).result()
        return self

    def __exit__(self, *error: object) -> None:
        asyncio.run_coroutine_threadsafe(self._server.__aexit__(None, None, None), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def base_url(self) -> str:
        return self._server.base_url

    @property
    def log(self) -> list[HttpRequest]:
        return list(self._server.log)

    @property
    def bodies(self) -> list[JsonObject]:
        return [json.loads(request.body) for request in self._server.log]

    @property
    def refused(self) -> list[Refusal]:
        return list(self._server.refused)

    @property
    def misses(self) -> int:
        """Requests that came after the last answer."""
        return self._server.misses

    def play(self, *responses: WireResponse) -> None:
        self._server.play(responses)
