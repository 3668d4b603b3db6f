"""The older mappings as profiles: the fields of the live converters, and habits beside them."""

from dataclasses import replace
from typing import Final

from bridgecheck_reference.conversion_profile import Profile

LETTER: Final = Profile(
    name="letter",
    habits=frozenset({
        "camel_case_only", "unknown_role_is_model", "thoughts_are_text", "results_alone", "content_of_results",
        "parameters_only", "budgets_alone", "latest_pairing", "safety_as_metadata", "choice_is_auto", "always_strict",
        "three_keywords_dropped", "first_choice_only", "unknown_finish_is_stop", "own_finish_of_calls", "basic_usage",
        "skeleton",
    }),
    signatures="drop",
    arguments="spaced",
    signature_placeholder=False,
    result_placeholder=False,
    emit_ids=False,
    bad_arguments="empty",
    tool_wrap="result",
    include_usage=False,
    hold_final=False,
    low_budget=None,
    high_budget=None,
    anthropic_max_tokens=None,
    errors="result",
    finish_parts="empty",
)  # fmt: skip
"""The older mapping to its letter. Its bounds for thinking have no default: they come from the environment."""

APICONVERSION: Final = replace(
    LETTER,
    name="apiconversion",
    habits=LETTER.habits - {"latest_pairing"} | {"latest_or_own_pairing", "empty_events"},
)
"""The letter as the program that it describes does it, in two places where the description is silent or broken."""

NARROW: Final = replace(LETTER, name="narrow", habits=LETTER.habits | {"text_only", "eight_fields"})
"""The letter with messages of text and requests of eight fields, which contradict other parts of the letter."""

EXCELMANUS: Final = Profile(
    name="excelmanus",
    habits=frozenset({"unknown_role_is_user", "three_keywords_dropped", "basic_usage"}),
    signatures="drop",
    signature_placeholder=False,
    result_placeholder=False,
    emit_ids=False,
    bad_arguments="empty",
    tool_wrap="result",
    finish_parts="omit",
)
"""The habits of an older adapter, as far as they are those of others; ``excelmanus`` has the rest (R-16)."""

OLDER_PROFILES: Final[dict[str, Profile]] = {
    profile.name: profile for profile in (LETTER, NARROW, APICONVERSION, EXCELMANUS)
}
