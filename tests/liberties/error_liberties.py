"""Failures told in another way: other wordings, types and codes of the same kind, near statuses."""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Final

from liberty import Conversion, Liberty, PassingOn

from bridgecheck.model.jsonvalue import obj, text
from bridgecheck.wire import Dialect, JsonObject

RFC9110: Final = "https://www.rfc-editor.org/rfc/rfc9110"
ANTHROPIC: Final = "https://docs.anthropic.com/en/api/errors (2026-11-23)"
OPENROUTER: Final = "https://openrouter.ai/docs/api/reference/errors-and-debugging (2026-11-23)"

ErrorEdit = Callable[[int, JsonObject], int]
"""Changes the document of an error where it stands; returns its status. In a stream the status counts for nothing."""


def _error(name: str, source: str, allows: str, edit: ErrorEdit, *clients: Dialect) -> Liberty:
    def change(status: int, document: JsonObject, _: Conversion) -> tuple[int, JsonObject]:
        if status < 400 or "error" not in document:
            return status, document
        document = deepcopy(document)
        return edit(status, document), document

    class Editing(PassingOn):
        def feed(self, event: JsonObject) -> list[JsonObject]:
            if "error" in event:
                event = deepcopy(event)
                edit(200, event)
            return [event]

    return Liberty(name, source, allows, clients, client_response=change, client_events=Editing)


def _reword(template: str, statuses: range) -> ErrorEdit:
    def edit(status: int, document: JsonObject) -> int:
        error = obj(document["error"])
        if status in statuses:
            error["message"] = template.format(error.get("message"))
        return status

    return edit


def _near(statuses: Mapping[int, int], names: Mapping[str, str]) -> ErrorEdit:
    """Return an edit of the status and, where the document repeats it, of its words."""

    def edit(status: int, document: JsonObject) -> int:
        error = obj(document["error"])
        new = statuses.get(status, status)
        if error.get("code") == status:
            error["code"] = new
        for member in ("type", "status"):
            if new != status or status < 400:
                error[member] = names.get(text(error.get(member)), error.get(member)) if member in error else None
                if error[member] is None:
                    del error[member]
        return new

    return edit


def _name_python_exception(status: int, document: JsonObject) -> int:
    error = obj(document["error"])
    if status >= 400:
        names = {400: "BadRequestError", 401: "AuthenticationError", 403: "PermissionDeniedError", 404: "NotFoundError",
            429: "RateLimitError"}  # fmt: skip
        error.update({"type": names.get(status, "InternalServerError"), "param": None, "code": status})
    return status


def _number_as_text(status: int, document: JsonObject) -> int:
    if status >= 400:
        obj(document["error"])["code"] = str(status)
    return status


def _keep_openai_members(status: int, document: JsonObject) -> int:
    error = obj(document["error"])
    for name in set(error) - {"message", "type", "metadata", "extra_content"}:
        error[name] = None
        if name not in ("param", "code"):
            del error[name]
    return status


def _add_metadata(status: int, document: JsonObject) -> int:
    metadata = obj(document["error"]).setdefault("metadata", {})
    obj(metadata).update({"provider_name": "Google", "raw": "upstream"})
    document["user_id"] = "user_1"
    return status


def _add_request_id(status: int, document: JsonObject) -> int:
    document["request_id"] = "req_011CSHoEeqs5C35K2UUqR7Fy"
    return status


_TELLS: Final = re.compile("RetryInfo|ErrorInfo")
"""Details that say when to try again, and what the status does not say of the reason."""


def _drop_details(status: int, document: JsonObject) -> int:
    error = obj(document["error"])
    remaining = [detail for detail in error.get("details") or [] if _TELLS.search(text(obj(detail).get("@type")))]
    error["details"] = remaining
    return status


_SERVER: Final[dict[str, str]] = {
    "overloaded_error": "api_error",
    "timeout_error": "api_error",
    "UNAVAILABLE": "INTERNAL",
    "DEADLINE_EXCEEDED": "INTERNAL",
}
_GATEWAY_KEY: Final[dict[str, str]] = {
    "authentication_error": "api_error",
    "permission_error": "api_error",
    "UNAUTHENTICATED": "INTERNAL",
    "PERMISSION_DENIED": "INTERNAL",
}

ERROR_LIBERTIES: Final[tuple[Liberty, ...]] = (
    _error("error-prefixed", "https://github.com/BerriAI/litellm/issues/1447 (2026-11-23)",
        "A gateway puts in front whose failure it was: its names in the provider's message, which stays behind them.", _reword("litellm.APIError: upstream: {}", range(600))),
    _error("error-reworded", "https://platform.claude.com/docs/en/api/openai-sdk#error-message-compatibility (2026-11-23)", "The text of an error may be another behind a compatible API, and is there for logs alone.", _reword("The provider did not answer the request.", range(500, 600))),
    _error("error-invalid-422", "recorded: maruel-genai/0541", "422 is another refusal of a request.",
        _near({400: 422}, {})),
    _error("error-server-502", f"{RFC9110}#section-15.6.3 (2026-11-23)", "502 is a gateway's own status for a failure behind it.",
        _near({500: 502, 503: 502, 504: 502, 529: 502}, _SERVER)),
    _error("error-server-500", ANTHROPIC, "500 is an unexpected failure inside.",
        _near({502: 500, 503: 500, 504: 500, 529: 500}, _SERVER)),
    _error("error-deadline-408", "https://www.rfc-editor.org/rfc/rfc9110#section-15.5.9 (2026-11-23)",
        "408 is a time-out too, and clients may repeat what got one.", _near({504: 408}, {})),
    _error("error-overloaded-503", f"{RFC9110}#section-15.6.4 (2026-11-23)", "503 is a server that cannot answer for the moment, for overload say.", _near({500: 503, 529: 503}, {})),
    _error("error-overloaded-529", ANTHROPIC, "529 is an overloaded API, 500 any other failure inside.",
        _near({503: 529, 502: 500, 504: 500}, {"timeout_error": "api_error"}), "anthropic"),
    _error("error-key-of-gateway-502", OPENROUTER, "502 is a provider that is down or gave no valid answer: the gateway's key is not its client's affair.",
        _near({401: 502, 403: 502}, _GATEWAY_KEY)),
    _error("error-auth-403", "https://ai.google.dev/gemini-api/docs/troubleshooting (2026-11-23)",
        "Google answers 403 to a wrong key.",
        _near({401: 403}, {"authentication_error": "permission_error", "UNAUTHENTICATED": "PERMISSION_DENIED"})),
    _error("error-too-large-400", "https://github.com/crewAIInc/crewAI-examples/issues/121 (2026-11-23)",
        "OpenAI answers 400 to a context that is too long.",
        _near({413: 400}, {"request_too_large": "invalid_request_error"})),
    _error("error-python-names", "recorded: maruel-genai/0191, maruel-genai/0719", "Hosts name types and codes in their own way.", _name_python_exception,
        "openai-chat"),
    _error("error-code-as-text", "recorded: maruel-genai/0758", "Hosts repeat the status as text.", _number_as_text, "openai-chat"),
    _error("error-two-members", "recorded: ai-gateway/0020", "param and code may be null.", _keep_openai_members, "openai-chat"),
    _error("error-metadata", "recorded: pydantic-ai/0789", "Hosts add members of their own.", _add_metadata, "openai-chat"),
    _error("error-request-id", "recorded: maruel-genai/0053", "Errors hold a request_id.", _add_request_id, "anthropic"),
    _error("error-no-details", "recorded: braintrust/0050", "details are optional.", _drop_details, "gemini"),
)  # fmt: skip
