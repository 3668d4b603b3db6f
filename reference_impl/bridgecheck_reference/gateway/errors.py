"""Errors of the gateway, as documents of the client's dialect with their status."""

from math import ceil
from typing import Final

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.anthropic.errors import STATUS_OF_TYPE, anthropic_error_type, create_anthropic_error
from bridgecheck_reference.convert.errors import STATUS_OF_CODE, openai_type_and_code
from bridgecheck_reference.convert.gemini.errors import ERROR_INFO, RETRY_INFO, create_gemini_error
from bridgecheck_reference.convert.json_values import integer, obj, text
from bridgecheck_reference.errors import ReferenceFailure
from bridgecheck_reference.failures import LOCAL


class GatewayError(ReferenceFailure):
    """A request that ends in an error.

    ``status``: HTTP status. ``code``: short machine word, "" for the dialect's own of that status. ``field``: the
    member of the request that is wrong, "" if it is no single one. ``document``: the whole error document where it is
    known in the client's dialect already. ``wait``: seconds until a new try may succeed, None if not known.
    ``headers``: to send along. ``details``: of an error of Anthropic's, None for none.
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        code: str = "",
        field: str = "",
        document: JsonObject | None = None,
        wait: float | None = None,
        headers: tuple[tuple[str, str], ...] = (),
        details: JsonObject | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.field = field
        self.document = document
        self.wait = wait
        self.headers = headers
        self.details = details

    def error_document(self, dialect: Dialect) -> JsonObject:
        """The error document of that dialect."""
        return self.document if self.document is not None else _ERROR_DOCUMENTS[dialect](self)

    def all_headers(self) -> list[tuple[str, str]]:
        """With a Retry-After in whole seconds, never shorter than the wait, unless there is one already."""
        headers = list(self.headers)
        if self.wait is not None and not any(name.lower() == "retry-after" for name, _ in headers):
            headers.append(("retry-after", str(ceil(self.wait))))
        return headers


def upstream_error_with_status_of_code(code: str, message: str) -> GatewayError:
    """Return the error of a failure that the upstream sent no document for; ``code``: a key of ``failures.LOCAL``."""
    return GatewayError(LOCAL[code][0], message, code=code)


def status_of_event(dialect: Dialect, event: JsonObject) -> int:
    """The HTTP status that an error event of that dialect would have had in place of its stream."""
    error = obj(event.get("error"))
    if dialect == "anthropic":
        return STATUS_OF_TYPE.get(text(error.get("type")), 502)
    code = error.get("code")
    status = integer(code)
    if status is not None and 400 <= status < 600:
        return status
    if isinstance(code, str) and code in LOCAL:
        return LOCAL[code][0]
    kind = text(error.get("type"))
    return STATUS_OF_CODE.get(text(code), STATUS_OF_CODE.get(kind if kind != "server_error" else "", 502))


def is_error_event(event: JsonObject) -> bool:
    """Whether an event of any dialect tells of an error."""
    return bool(event.get("error")) or event.get("type") == "error"


def _gemini_error(error: GatewayError) -> JsonObject:
    document = create_gemini_error(error.message, error.status)
    details: list[JsonObject] = []
    if error.field:
        violation = {"field": error.field, "description": error.message}
        details.append({"@type": "type.googleapis.com/google.rpc.BadRequest", "fieldViolations": [violation]})
    if error.code:
        details.append({"@type": ERROR_INFO, "reason": error.code.upper()})
    if error.wait is not None:
        details.append({"@type": RETRY_INFO, "retryDelay": f"{error.wait:g}s"})
    if details:
        obj(document["error"])["details"] = details
    return document


def _openai_error(error: GatewayError) -> JsonObject:
    kind, code = openai_type_and_code(error.status)
    return {
        "error": {
            "message": error.message,
            "type": kind,
            "param": error.field or None,
            "code": error.code or code,
        }
    }


def _anthropic_error(error: GatewayError) -> JsonObject:
    document = create_anthropic_error(error.message, anthropic_error_type(error.status))
    if error.details is not None:
        obj(document["error"])["details"] = error.details
    return document


_ERROR_DOCUMENTS: Final = {"gemini": _gemini_error, "openai-chat": _openai_error, "anthropic": _anthropic_error}
