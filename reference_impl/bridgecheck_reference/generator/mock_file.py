"""Files of recorded or fake responses, in gemini-cli's format: one JSON object a line,

    {"method": "generateContent", "response": {...}}
    {"method": "generateContentStream", "response": [{...}, {...}]}
    {"method": "countTokens", "response": {"totalTokens": 3}}
    {"method": "embedContent", "response": {...}}

Two keys more, which gemini-cli passes over, tell how a call ended that did not end well: ``error`` (message, status,
code, retry_after, body) and ``end`` ("abandoned": the reader closed the stream early). ``response`` then holds what had
arrived.

Source: --record-responses and --fake-responses of gemini-cli 0.61.0, tried 2026-11-20.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, get_args

from bridgecheck.wire import JsonObject
from bridgecheck_reference.errors import MockResponseError, ProviderError

Method: TypeAlias = Literal["generateContent", "generateContentStream", "countTokens", "embedContent"]


@dataclass(frozen=True, slots=True)
class MockResponse:
    """One recorded call. ``response``: the document, or the events of a stream; None where a call failed at once."""

    method: Method
    response: object
    error: JsonObject | None = None
    end: str = ""

    def line(self) -> str:
        """The line of the file, with its line feed. Non-ASCII is kept, line separators inside strings are escaped."""
        row: JsonObject = {"method": self.method, "response": self.response}
        row |= {"error": self.error} if self.error is not None else {}
        row |= {"end": self.end} if self.end else {}
        return json.dumps(row, ensure_ascii=False).replace("\u2028", "\\u2028").replace("\u2029", "\\u2029") + "\n"


def read_mock_file(path: str) -> list[MockResponse]:
    """All lines; blank ones are passed over. ``MockResponseError`` with file and line on what cannot be read."""
    try:
        lines = Path(path).read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise MockResponseError(f"{path}: cannot be read: {error.strerror}") from error
    return [_parse(line, f"{path}:{number}") for number, line in enumerate(lines, 1) if line.strip()]


def _parse(line: str, where: str) -> MockResponse:
    try:
        row: object = json.loads(line)
    except ValueError as error:
        raise MockResponseError(f"{where}: not JSON: {error}") from None
    if not isinstance(row, dict) or row.get("method") not in get_args(Method) or "response" not in row:
        raise MockResponseError(f"{where}: expected an object with response and method, one of {get_args(Method)}")
    streamed = row["method"] == "generateContentStream"
    if streamed != isinstance(row["response"], list) and row["response"] is not None:
        raise MockResponseError(
            f"{where}: response of {row['method']}: expected {'a list' if streamed else 'an object'}"
        )
    failure = row.get("error")
    end = str(row.get("end", ""))
    return MockResponse(row["method"], row["response"], failure if isinstance(failure, dict) else None, end)


def error_row(error: BaseException) -> JsonObject:
    """An exception as it is written down."""
    row: JsonObject = {"message": str(error), "type": type(error).__name__}
    if isinstance(error, ProviderError):
        row |= {"status": error.status, "code": error.code, "retry_after": error.retry_after, "body": error.body}
    return row


def error_of(row: JsonObject) -> ProviderError:
    """The exception again: always a ``ProviderError``, since that is what a caller has to expect."""
    body, status, seconds = row.get("body"), row.get("status"), row.get("retry_after")
    message = str(row.get("message", ""))
    return ProviderError(
        message,
        body=body if isinstance(body, dict) else {"error": {"code": 500, "message": message, "status": "UNKNOWN"}},
        dialect="gemini",
        status=status if isinstance(status, int) else None,
        code=str(row.get("code", "")),
        retry_after=seconds if isinstance(seconds, int | float) else None,
    )
