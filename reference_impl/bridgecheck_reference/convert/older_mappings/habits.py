"""All habits, by name, as tables: which step or which class each is, for which pair of dialects."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.ids import CallIds
from bridgecheck_reference.convert.older_mappings import answers, chat_requests, gemini_requests, schemas
from bridgecheck_reference.convert.older_mappings.call_ids import CallIdsByNameAlone, LatestCallIds
from bridgecheck_reference.loss import Losses

ChangeOfRequest: TypeAlias = Callable[[JsonObject, Losses], JsonObject]
"""Returns a changed copy; what it drops is a loss."""

ChangeOfMadeRequest: TypeAlias = Callable[[JsonObject, JsonObject, Losses], JsonObject]
"""Changes what was made (first) of what was read (second)."""


def _whatever_was_read(change: ChangeOfRequest) -> ChangeOfMadeRequest:
    return lambda made, read, losses: change(made, losses)


_BEFORE_REQUEST: Final[dict[tuple[Dialect, Dialect], tuple[tuple[str, ChangeOfRequest], ...]]] = {
    ("gemini", "openai-chat"): (
        ("camel_case_only", gemini_requests.drop_misspelt_keys),
        ("unknown_role_is_model", gemini_requests.replace_roles_with_model),
        ("unknown_role_is_user", gemini_requests.replace_roles_with_user),
        ("thoughts_are_text", gemini_requests.make_thoughts_text),
        ("results_alone", gemini_requests.drop_result_siblings),
        ("content_of_results", gemini_requests.prefer_content_of_results),
        ("parameters_only", gemini_requests.keep_parameters_alone),
        ("budgets_alone", gemini_requests.keep_budgets_alone),
    ),
    ("openai-chat", "gemini"): (
        ("unknown_role_is_model", chat_requests.replace_unknown_chat_roles),
        ("unknown_role_is_user", chat_requests.replace_unknown_chat_roles),
        ("text_only", chat_requests.flatten_chat_content_to_text),
        ("eight_fields", chat_requests.keep_strict_chat_fields),
    ),
}
"""(client, upstream) -> steps on requests, in their order."""

_AFTER_REQUEST: Final[dict[tuple[Dialect, Dialect], tuple[tuple[str, ChangeOfMadeRequest], ...]]] = {
    ("gemini", "openai-chat"): (
        ("latest_pairing", _whatever_was_read(chat_requests.clear_ids_of_unpaired_results)),
        ("latest_or_own_pairing", _whatever_was_read(chat_requests.clear_ids_of_unpaired_results)),
        ("choice_is_auto", _whatever_was_read(chat_requests.choose_auto)),
        ("always_strict", _whatever_was_read(chat_requests.mark_schema_strict)),
        ("budgets_alone", _whatever_was_read(chat_requests.require_limit_of_thinking)),
        ("safety_as_metadata", chat_requests.add_safety_metadata_if_short),
        ("text_only", _whatever_was_read(chat_requests.flatten_chat_content_to_text)),
        ("eight_fields", _whatever_was_read(chat_requests.keep_strict_chat_fields)),
    ),
    ("anthropic", "openai-chat"): (
        ("choice_is_auto", _whatever_was_read(chat_requests.choose_auto)),
        ("always_strict", _whatever_was_read(chat_requests.mark_schema_strict)),
    ),
    ("openai-chat", "gemini"): (("three_keywords_dropped", schemas.drop_three_keywords),),
}
"""(client, upstream) -> steps on what was made of a request, in their order."""

_CALL_IDS: Final[dict[str, Callable[[object], CallIds]]] = {
    "sequence_ids": lambda contents: CallIdsByNameAlone(),
    "latest_pairing": lambda contents: LatestCallIds(contents, falls_back=False),
    "latest_or_own_pairing": lambda contents: LatestCallIds(contents, falls_back=True),
}
"""How the calls of a Gemini history get their ids."""

_OF_ANSWERS: Final[dict[tuple[Dialect, Dialect], tuple[tuple[str, type[answers.AnswerHabit]], ...]]] = {
    ("gemini", "openai-chat"): (
        ("first_choice_only", answers.FirstChoiceOnly),
        ("unknown_finish_is_stop", answers.UnknownFinishIsStop),
        ("own_finish_of_calls", answers.OwnFinishOfCalls),
        ("basic_usage", answers.BasicUsageOfGemini),
        ("skeleton", answers.Skeleton),
        ("empty_events", answers.EmptyEvents),
    ),
    ("openai-chat", "gemini"): (
        ("thoughts_are_text", answers.ThoughtsAreText),
        ("basic_usage", answers.BasicUsageOfOpenAI),
    ),
    ("anthropic", "openai-chat"): (("basic_usage", answers.BasicUsageOfAnthropic),),
    ("openai-chat", "anthropic"): (("basic_usage", answers.BasicUsageOfOpenAI),),
}
"""(client, upstream) -> habits about the answers that come back."""

HABITS: Final[frozenset[str]] = frozenset(_CALL_IDS).union(
    *({name for name, _ in rows} for rows in _BEFORE_REQUEST.values()),
    *({name for name, _ in rows} for rows in _AFTER_REQUEST.values()),
    *({name for name, _ in rows} for rows in _OF_ANSWERS.values()),
)
"""The names of all habits."""


@dataclass(frozen=True, slots=True)
class Habits:
    """What is done around one live converter. ``call_ids``: None for its own."""

    before_request: tuple[ChangeOfRequest, ...]
    after_request: tuple[ChangeOfMadeRequest, ...]
    call_ids: Callable[[object], CallIds] | None
    of_answers: tuple[type[answers.AnswerHabit], ...]


def habits_of(client: Dialect, upstream: Dialect, names: frozenset[str]) -> Habits:
    """Return what is done around the converter of a pair. Names of other pairs do nothing there."""
    pair = (client, upstream)
    ids = next((found for name, found in _CALL_IDS.items() if name in names), None)
    return Habits(
        tuple(step for name, step in _BEFORE_REQUEST.get(pair, ()) if name in names),
        tuple(step for name, step in _AFTER_REQUEST.get(pair, ()) if name in names),
        ids if client == "gemini" else None,
        tuple(habit for name, habit in _OF_ANSWERS.get(pair, ()) if name in names),
    )
