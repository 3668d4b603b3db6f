"""response.error and client.no_secret: a failure arrives as a failure of the same class, nothing else does, and no
error shows the client a credential."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bridgecheck.checks.bases import CHUNK, PLAYED, READ
from bridgecheck.checks.check import Check, Result, Rule
from bridgecheck.checks.request_and_response_pairs import ResponsePair, response_pairs
from bridgecheck.compare.classes import SUCCESS, error_class_differences
from bridgecheck.compare.diff import differences, shorten
from bridgecheck.model.evidence import Evidence
from bridgecheck.model.exchange import Response
from bridgecheck.model.jsonvalue import obj
from bridgecheck.model.outcome import ErrorInfo
from bridgecheck.model.scenario import Basis
from bridgecheck.model.verdict import Difference, Layer, Level
from bridgecheck.secrets import UPSTREAM_KEY, find_credential_kinds

_ERRORS: Final = Basis("documented", "https://developers.openai.com/docs/guides/error-codes", READ)
_RETRY: Final = Basis("documented", "https://cloud.google.com/apis/design/errors", READ)
_GATEWAY: Final = Basis("convention", "https://www.rfc-editor.org/rfc/rfc9110#section-15.6.3", READ)
_SECRET: Final = Basis("documented", "https://platform.openai.com/docs/api-reference/authentication", READ)


NO_CREDENTIAL: Final = "no credential"
"""What is expected of an error that shows the key with which the provider was called."""

NAMED_STOP: Final = "an error for the stop "
"""What the note begins with of an error that stands for a stop and names it."""


def check_error(evidence: Evidence) -> list[Result]:
    """An error keeps its kind, a right status and its retry hint; a normal response does not turn into an error, nor an
    error into a normal response."""
    results: list[Result] = []
    for pair in response_pairs(evidence):
        if pair.either_has_error:
            rows, rule = _error_differences_and_rule(pair, evidence.key.layer)
            if pair.raises_named_stop:
                stops = " or ".join(choice.finish.native for choice in pair.expected.choices)
                rows = [replace(row, note=f"{NAMED_STOP}{stops}") for row in rows]
                lost = () if _holds_named_stop(pair) else rows
                results.append(Result(lost, level="SHOULD", rules=["error.named_stop"], turn=pair.turn))
                continue
            if lowering := _lowering_rule(pair, rows):
                results.append(Result(rows, level="SHOULD", rules=[lowering], turn=pair.turn))
                continue
            hints = [row for row in rows if row.path == "error.retry_after"]
            lost = [row for row in hints if not pair.ends.can_express(row.path)]
            converted = [] if pair.has_retry_hint_of_client else [row for row in hints if row not in lost]
            losses, _ = pair.ends.split_losses(row.path for row in lost)
            rows = [row for row in rows if row not in (*lost, *converted)]
            results.append(Result(rows, rules=[rule], losses=losses, turn=pair.turn))
            if converted:
                results.append(Result(converted, level="SHOULD", rules=["error.retry_converted"], turn=pair.turn))
        elif _broke_off(pair.upstream_response):
            is_unseen = pair.client_response.terminated or pair.has_no_place_for_finish(pair.actual.first)
            level: Level | None = None if is_unseen else "SHOULD"
            results.append(Result(_find_quiet_end(pair, evidence.key.layer), level=level, turn=pair.turn))
    return results


ERROR: Final = Check(
    "response.error", "errors", "MUST", _ERRORS, "A failure arrives as a failure of its class, with its retry hint; "
    "nothing else arrives as a failure.", check_error, "response", PLAYED,
    rules=(
        Rule("error.class", "MUST", "A failure arrives as a failure of its class and status.", _ERRORS),
        Rule("error.retry", "MUST", "A hint when to try again that is in a header, or in the client's own dialect, "
            "arrives, in a header or the body.", _RETRY),
        Rule("error.retry_converted", "SHOULD", "One in the body of another dialect arrives too.", _RETRY),
        Rule("error.no_exchange", "MUST", "An error never turns into a normal response, nor the reverse.", _ERRORS),
        Rule("error.named_stop", "SHOULD", "A library that raises where the provider's filter stopped the answer, or "
            "where a limit left nothing of it, and says so, gives its caller what was delivered and counted.", _ERRORS),
        Rule("error.without_class", "SHOULD", "A library whose exception has the status and the message of the "
            "provider in its words also has them where its caller can tell failures apart.", _ERRORS),
        Rule("error.of_operator", "SHOULD", "A gateway that reports as its own failure that the provider refused the "
            "key, or does not know the model, reports it with the provider's class.", _GATEWAY),
        Rule("error.visible_end", "MUST",
            "A failure in a stream is an error event or an end that no client takes for success.", CHUNK),
    ),
)  # fmt: skip


def _lowering_rule(pair: ResponsePair, rows: list[Difference]) -> str:
    """Return the rule by which these differences of an error are a SHOULD, "" for none."""
    expected, actual = pair.expected.error, pair.actual.error
    if expected is None or actual is None or not rows:
        return ""
    if pair.ends.target == "outcome":
        return "error.without_class" if _has_status_and_message_in_words(expected, actual) else ""
    is_own_failure = pair.client_response.status >= 500 and bool(actual.message)
    has_envelope = any(obj(document).get("error") for document in pair.client_response.documents[-1:])
    is_of_class = all(row.path in ("error.kind", "error.status") for row in rows)
    is_of_operator = is_own_failure and has_envelope and is_of_class and _is_about_key_or_model(expected)
    return "error.of_operator" if is_of_operator else ""


def _has_status_and_message_in_words(expected: ErrorInfo, actual: ErrorInfo) -> bool:
    """Return whether an error says of its class nothing but in its words, and there all."""
    if actual.kind != "unknown" or actual.status is not None or expected.status is None:
        return False
    has_status = re.search(rf"\b{expected.status}\b", actual.message) is not None
    return has_status and _plain_words(expected.message) in _plain_words(actual.message)


def _plain_words(message: str) -> str:
    """Return the words of a message, however what holds it escapes quotes and line ends."""
    return " ".join(re.findall(r"\w+", message.replace("\\n", " ")))


def _is_about_key_or_model(error: ErrorInfo) -> bool:
    """Return whether the provider refused the key, or does not know the model: with a gateway both may be those that
    its operator set."""
    if error.kind == "not_found":
        return "model" in f"{error.native} {error.message}".lower()
    return error.kind in ("auth", "permission") and error.status in (401, 403)


def _holds_named_stop(pair: ResponsePair) -> bool:
    """Return whether the caller has, beside the error, all text that was delivered before the stop, the finish and the
    usage."""
    if pair.expected.usage is not None and pair.actual.usage is None:
        return False
    return all(
        actual.finish.kind == expected.finish.kind and actual.joined_text == expected.joined_text
        for expected, actual in pair.choice_pairs
    )


def _broke_off(response: Response) -> bool:
    """Return whether a stream that had begun broke below its events: HTTP clients raise, so nobody can overlook it."""
    return response.mode == "stream" and bool(response.documents) and response.end in ("cut", "reset", "timeout")


def _find_quiet_end(pair: ResponsePair, layer: Layer) -> list[Difference]:
    """Return a difference for a stream that stops in the middle as if it were whole: no error, no finish, and a
    connection that ends in order. The SDKs of Gemini and Chat end their iteration there without a word; who looks sees
    that the finish is missing, unless the stream has its terminator.

    At wire level nothing ends, and whoever has types of his own sees the missing finish, if they have a place for one.
    Anthropic's SDKs raise at an event of the type error in whatever form it is (anthropic 2.11.0, _streaming.py, read
    2026-11-23): client.wire_shape judges that.
    """
    response = pair.client_response
    is_missed = response.dialect != "outcome" or pair.has_no_place_for_finish(pair.actual.first)
    has_transport = layer != "wire" and is_missed
    if not has_transport or response.mode != "stream" or response.status >= 400 or response.end != "complete":
        return []
    if pair.actual.error is not None or any(choice.finish.kind != "incomplete" for choice in pair.actual.choices):
        return []
    if response.dialect == "anthropic" and any(obj(last).get("type") == "error" for last in response.documents[-1:]):
        return []
    note = "a failure in the stream became a quiet end"
    return [Difference("error", "an error, or a connection that breaks", "an end in order, without a finish", note)]


def _error_differences_and_rule(pair: ResponsePair, layer: Layer) -> tuple[list[Difference], str]:
    """Return the differences of the two errors, and the rule that allows what differs, "" if none."""
    expected, actual = pair.expected.error, pair.actual.error
    if expected is None:
        if pair.allows_error:
            return [], "error.from_finish"
        return [Difference("error", "(absent)", shorten(actual), "an answer turned into an error")], ""
    if actual is None:
        return _missing_client_error_differences_and_rule(pair, layer)
    if pair.ends.unconverted:
        hides_key = _differs_only_by_key(expected.message, actual.message)
        is_same = hides_key or expected.message.strip() in actual.message
        compared = replace(actual, message=expected.message) if is_same else actual
        compared = compared if expected.native else replace(compared, native="")  # a page of HTML has no code
        return list(differences(expected, compared, "error")), "error.key_hidden" if hides_key else ""
    rows = error_class_differences(expected, actual)
    late = [row for row in rows if row.path in ("error.status", "error.retry_after")]
    if pair.expected.choices and late:  # inside a stream the status line has been sent long before
        return [row for row in rows if row not in late], "error.in_stream"
    return rows, "" if expected == actual else "error.class"


def _differs_only_by_key(expected: str, actual: str) -> bool:
    """Return whether the actual message is the expected one without the provider's key, which no client should see."""
    parts = expected.split(UPSTREAM_KEY)
    if len(parts) < 2 or UPSTREAM_KEY in actual:
        return False
    return re.fullmatch(".*".join(map(re.escape, parts)), actual) is not None


def _missing_client_error_differences_and_rule(pair: ResponsePair, layer: Layer) -> tuple[list[Difference], str]:
    """Accept, without an error, only an end that no client takes for success, and only after a stream has begun."""
    streaming = pair.client_response.mode == "stream" and pair.client_response.status < 400
    ends = [choice.finish.kind for choice in pair.actual.choices]
    if streaming and ends and not any(kind in SUCCESS for kind in ends):
        quiet = _find_quiet_end(pair, layer)
        return quiet, "" if quiet else "error.visible_end"
    return [Difference("error", shorten(pair.expected.error), "(absent)", "an error turned into an answer")], ""


def check_no_secret_in_errors(evidence: Evidence) -> list[Result]:
    """The provider's key, or anything that looks like a credential, stands in no error that a client receives, and in
    no text of a refusal. Where the client has the key itself nothing is judged: on the native path, and of a library,
    whose caller passes it the key (a session at sdk level). At wire level an adapter has no key."""
    is_session = evidence.key.layer == "sdk" and not evidence.through_sdk
    if evidence.key.path == "native" or evidence.key.client == "outcome" or is_session:
        return []
    key = UPSTREAM_KEY if evidence.key.layer != "wire" else ""
    results = [
        Result(list(_find_credentials(_visible_text(pair.client_response), key)), turn=pair.turn)
        for pair in response_pairs(evidence)
        if pair.actual.error is not None
    ]
    in_refusal = list(_find_credentials(evidence.transcript.refused, key))
    return [*results, Result(in_refusal)] if in_refusal else results


NO_SECRET: Final = Check(
    "client.no_secret", "errors", "MUST", _SECRET, "No error that a client receives holds a credential.",
    check_no_secret_in_errors, "response", PLAYED,
    rules=(
        Rule("error.no_secret", "MUST",
            "No error that a client receives holds the provider's key or what looks like a credential.", _SECRET),
    ),
)  # fmt: skip


def _visible_text(response: Response) -> str:
    """Return all that the client can read of a response: documents, what was no document, and headers."""
    documents = (json.dumps(document, ensure_ascii=False) for document in response.documents)
    headers = (f"{name}: {value}" for name, value in response.headers)
    return "\n".join((*documents, response.text, *headers))


def _find_credentials(text: str, key: str) -> Iterator[Difference]:
    """Yield the kinds of credentials in a text, never the credential. ``key``: that of the adapter, "" if none."""
    if key and key in text:
        yield Difference("error", NO_CREDENTIAL, "the provider's key")
    for kind in find_credential_kinds(text):
        yield Difference("error", NO_CREDENTIAL, kind)
