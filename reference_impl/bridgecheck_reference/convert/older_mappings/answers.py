"""Habits about answers: what they change in the documents that a live converter reads, and in those it makes
(mapping rows R-09, R-10, R-12, R-20, R-22, R-45).

One object is made for each answer. A whole answer is one document, so the same code changes it.
"""

from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.gemini.finish import FROM_OPENAI
from bridgecheck_reference.convert.json_values import arr, google_extra, integer, obj, objs
from bridgecheck_reference.convert.older_mappings.gemini_requests import remove_thought_mark
from bridgecheck_reference.convert.usage import is_reasoning_outside_completion, reasoning_tokens
from bridgecheck_reference.loss import Losses


class AnswerHabit:
    """Changes nothing. ``whole``: the answer is one document, not a stream."""

    def __init__(self, losses: Losses, *, whole: bool) -> None:
        self.losses = losses
        self.whole = whole

    def change_read(self, document: JsonObject) -> JsonObject:
        """Return what the converter is to read in place of a document of the upstream."""
        return document

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        """Return what is to be sent in place of what the converter made of one document."""
        return documents

    def change_end(self, documents: list[JsonObject]) -> list[JsonObject]:
        """Return what is to be sent in place of what the converter made when the stream ended."""
        return self.change_made(documents)


class ThoughtsAreText(AnswerHabit):
    """Gemini -> OpenAI: a thought is text like any other."""

    def change_read(self, document: JsonObject) -> JsonObject:
        candidates = [_without_thought_marks(candidate) for candidate in arr(document.get("candidates"))]
        return {**document, "candidates": candidates} if candidates else document


def _without_thought_marks(candidate: object) -> object:
    content = obj(obj(candidate).get("content"))
    if not isinstance(content.get("parts"), list):
        return candidate
    parts = [remove_thought_mark(part) for part in arr(content["parts"])]
    return {**obj(candidate), "content": {**content, "parts": parts}}


_OPENAI_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")
_GEMINI_COUNTS: Final = ("promptTokenCount", "candidatesTokenCount", "totalTokenCount")


class BasicUsageOfOpenAI(AnswerHabit):
    """-> OpenAI: the three counts alone."""

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        return [_with_counts_alone(document) for document in documents]


class BasicUsageOfGemini(AnswerHabit):
    """OpenAI -> Gemini: the three counts alone, 0 where they are missing."""

    def change_read(self, document: JsonObject) -> JsonObject:
        groq = obj(document.get("x_groq"))
        document = {**document, "x_groq": _with_counts_alone(groq)} if "usage" in groq else document
        return _with_counts_alone(document)

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        return [_with_all_gemini_counts(document) for document in documents]


class BasicUsageOfAnthropic(AnswerHabit):
    """OpenAI -> Anthropic: the counts without details. Reasoning that is counted beside the completion still adds."""

    def change_read(self, document: JsonObject) -> JsonObject:
        changed = _with_counts_alone(document)
        prompt, completion, total = (integer(obj(changed.get("usage")).get(key)) for key in _OPENAI_COUNTS)
        reasoning = reasoning_tokens(obj(document.get("usage")))
        if not reasoning or not is_reasoning_outside_completion(prompt, completion or 0, reasoning, total):
            return changed
        return {**changed, "usage": {**obj(changed["usage"]), "completion_tokens": (completion or 0) + reasoning}}


def _with_counts_alone(document: JsonObject) -> JsonObject:
    usage = document.get("usage")
    if not isinstance(usage, dict) or not usage:
        return document
    return {**document, "usage": {key: usage.get(key) for key in _OPENAI_COUNTS}}


def _with_all_gemini_counts(document: JsonObject) -> JsonObject:
    if "usageMetadata" not in document:
        return document
    counts = obj(document["usageMetadata"])
    return {**document, "usageMetadata": {key: counts.get(key) or 0 for key in _GEMINI_COUNTS}}


class FirstChoiceOnly(AnswerHabit):
    """OpenAI -> Gemini: the first choice, of several."""

    _first: int | None = None

    def change_read(self, document: JsonObject) -> JsonObject:
        choices = arr(document.get("choices"))
        remaining = [choice for position, choice in enumerate(choices) if self._is_first(choice, position)]
        if len(remaining) == len(choices):
            return document
        self.losses.add("choices[]", "only the first of several choices is converted")
        return {**document, "choices": remaining}

    def _is_first(self, choice: object, position: int) -> bool:
        if not isinstance(choice, dict):
            return True
        index = index_of(choice, position)
        self._first = index if self._first is None else self._first
        return index == self._first


def index_of(choice: JsonObject, position: int) -> int:
    """Return the index of a choice or candidate, by default its position."""
    index = integer(choice.get("index"))
    return position if index is None else index


class UnknownFinishIsStop(AnswerHabit):
    """OpenAI -> Gemini: a reason that no table has is ``stop``."""

    def change_read(self, document: JsonObject) -> JsonObject:
        if all(_has_known_finish(choice) for choice in objs(document.get("choices"))):
            return document
        choices = [self._end_with_stop_if_unknown(choice) for choice in objs(document["choices"])]
        return {**document, "choices": choices}

    def _end_with_stop_if_unknown(self, choice: JsonObject) -> JsonObject:
        if _has_known_finish(choice):
            return choice
        self.losses.add("choices[].finish_reason", f"unknown reason {choice['finish_reason']!r}")
        return {**choice, "finish_reason": "stop"}


def _has_known_finish(choice: JsonObject) -> bool:
    reason = choice.get("finish_reason")
    known = not reason or str(reason) in FROM_OPENAI or reason == "error"
    return known or bool(google_extra(choice).get("finish_reason"))


class OwnFinishOfCalls(AnswerHabit):
    """OpenAI -> Gemini: a candidate with calls ends with a word of its own."""

    def __init__(self, losses: Losses, *, whole: bool) -> None:
        super().__init__(losses, whole=whole)
        self._finishes: dict[int, object] = {}
        self._called: set[int] = set()

    def change_read(self, document: JsonObject) -> JsonObject:
        for position, choice in enumerate(objs(document.get("choices"))):
            reason = google_extra(choice).get("finish_reason") or choice.get("finish_reason")
            if reason:
                self._finishes.setdefault(index_of(choice, position), reason)
        return document

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        return [
            {**event, "candidates": [self._end(candidate) for candidate in objs(event["candidates"])]}
            if "candidates" in event
            else event
            for event in documents
        ]

    def _end(self, candidate: JsonObject) -> JsonObject:
        index = index_of(candidate, 0)
        if any("functionCall" in part for part in objs(obj(candidate.get("content")).get("parts"))):
            self._called.add(index)
        ends_with_calls = index in self._called and self._finishes.get(index) in ("tool_calls", "function_call")
        if ends_with_calls and candidate.get("finishReason") == "STOP":
            return {**candidate, "finishReason": "MODEL_REQUESTED_TOOL"}
        return candidate


class Skeleton(AnswerHabit):
    """-> Gemini: no id, model or time; a whole answer always has candidates and usageMetadata."""

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        always: JsonObject = {"candidates": [], "usageMetadata": {}} if self.whole else {}
        return [
            {**always, **{key: value for key, value in document.items() if key not in _NAMES_AND_TIME}}
            for document in documents
        ]


_NAMES_AND_TIME: Final = frozenset({"responseId", "modelVersion", "createTime"})


class EmptyEvents(AnswerHabit):
    """OpenAI -> Gemini: a chunk with nothing to send gives an empty event, until an error."""

    _failed = False

    def change_read(self, document: JsonObject) -> JsonObject:
        self._failed = self._failed or bool(document.get("error"))
        return document

    def change_made(self, documents: list[JsonObject]) -> list[JsonObject]:
        if self.whole or self._failed:
            return documents
        self._failed = any("error" in event for event in documents)
        first = documents[0] if documents else {}
        if "candidates" in first:
            return documents
        empty: JsonObject = {"candidates": [{"content": {"parts": [], "role": "model"}, "index": 0}]}
        return [empty, *documents] if "error" in first else [{**empty, **first}]

    def change_end(self, documents: list[JsonObject]) -> list[JsonObject]:
        return documents
