"""Token counts and thinking."""

from dataclasses import replace

import pytest

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.gemini.thinking import (
    request_to_thinking_config,
    supports_thinking_levels,
    thinking_config_to_effort,
)
from bridgecheck_reference.convert.gemini.usage import usage_to_gemini, usage_to_openai
from bridgecheck_reference.convert.usage import merge_usage
from bridgecheck_reference.loss import Losses

from .samples import event
from .with_habits import convert_response, habits


def test_thoughts_count_as_completion() -> None:
    usage = {"promptTokenCount": 20, "candidatesTokenCount": 198, "thoughtsTokenCount": 405, "totalTokenCount": 623}
    assert usage_to_openai(usage) == {
        "prompt_tokens": 20,
        "completion_tokens": 603,
        "total_tokens": 623,
        "completion_tokens_details": {"reasoning_tokens": 405},
    }


def test_tool_prompts_count_as_prompt_and_cached_ones_are_inside() -> None:
    usage = {
        "promptTokenCount": 100,
        "cachedContentTokenCount": 80,
        "toolUsePromptTokenCount": 7,
        "candidatesTokenCount": 5,
        "totalTokenCount": 112,
    }
    converted = usage_to_openai(usage)
    assert (converted["prompt_tokens"], converted["completion_tokens"], converted["total_tokens"]) == (107, 5, 112)
    assert converted["prompt_tokens_details"] == {"cached_tokens": 80}


@pytest.mark.parametrize(
    ("usage", "counts"),
    [
        ({"promptTokenCount": 7, "totalTokenCount": 7}, (7, 0, 7)),
        ({"promptTokenCount": 21, "thoughtsTokenCount": 60, "totalTokenCount": 81}, (21, 60, 81)),
        ({"promptTokenCount": 3, "candidatesTokenCount": 2}, (3, 2, 5)),
        ({"promptTokenCount": 3, "totalTokenCount": 9}, (3, 6, 9)),
    ],
)
def test_missing_gemini_counts_are_derived(usage: dict[str, object], counts: tuple[int, ...]) -> None:
    converted = usage_to_openai(usage)
    assert (converted["prompt_tokens"], converted["completion_tokens"], converted["total_tokens"]) == counts


def test_reasoning_inside_completion_is_taken_out() -> None:
    usage = {
        "prompt_tokens": 10,
        "completion_tokens": 50,
        "total_tokens": 60,
        "completion_tokens_details": {"reasoning_tokens": 30},
        "prompt_tokens_details": {"cached_tokens": 4},
    }
    assert usage_to_gemini(usage) == {
        "promptTokenCount": 10,
        "cachedContentTokenCount": 4,
        "candidatesTokenCount": 20,
        "thoughtsTokenCount": 30,
        "totalTokenCount": 60,
    }


def test_reasoning_outside_completion_is_detected_by_the_total() -> None:
    usage = {
        "prompt_tokens": 12,
        "completion_tokens": 2,
        "total_tokens": 354,
        "completion_tokens_details": {"reasoning_tokens": 340},
    }
    converted = usage_to_gemini(usage)
    assert (converted["candidatesTokenCount"], converted["thoughtsTokenCount"]) == (2, 340)


def test_no_count_is_negative_where_a_host_miscounts() -> None:
    usage = {
        "prompt_tokens": 21,
        "completion_tokens": 16,
        "total_tokens": 37,
        "completion_tokens_details": {"reasoning_tokens": 22},
    }
    converted = usage_to_gemini(usage)
    assert (converted["candidatesTokenCount"], converted["thoughtsTokenCount"], converted["totalTokenCount"]) == (
        0,
        16,
        37,
    )


def test_absent_is_not_zero() -> None:
    assert usage_to_gemini({"total_tokens": 4}) == {"totalTokenCount": 4}


def test_the_three_basic_counts_only() -> None:
    gemini = {"promptTokenCount": 1, "candidatesTokenCount": 2, "thoughtsTokenCount": 3, "totalTokenCount": 6}
    answer = event({"text": "x"}, finish="STOP", usageMetadata=gemini)
    made = convert_response("openai-chat", "gemini", answer, replace(NATIVE, habits=habits("basic_usage")))
    assert made.value["usage"] == {"prompt_tokens": 1, "completion_tokens": 5, "total_tokens": 6}


def test_later_counts_replace_and_are_never_added() -> None:
    held = merge_usage({}, {"promptTokenCount": 21, "candidatesTokenCount": 3})
    assert merge_usage(held, {"candidatesTokenCount": 14, "promptTokenCount": None}) == {
        "promptTokenCount": 21,
        "candidatesTokenCount": 14,
    }


@pytest.mark.parametrize(
    ("config", "effort"),
    [
        ({"thinkingBudget": 1}, "low"),
        ({"thinkingBudget": 4096}, "low"),
        ({"thinkingBudget": 4097}, "medium"),
        ({"thinkingBudget": 16384}, "medium"),
        ({"thinkingBudget": 16385}, "high"),
        ({"thinking_budget": -1}, "high"),
        ({"thinkingBudget": 0}, "none"),
        ({"thinkingLevel": "HIGH"}, "high"),
        ({"thinking_level": "minimal"}, "minimal"),
        ({"includeThoughts": True}, ""),
        (None, ""),
    ],
)
def test_thinking_as_effort(config: object, effort: str) -> None:
    assert thinking_config_to_effort(config, NATIVE, Losses()) == effort


@pytest.mark.parametrize(
    ("request_", "model", "config"),
    [
        ({"reasoning_effort": "low"}, "gemini-2.5-flash", {"thinkingBudget": 1024}),
        ({"reasoning_effort": "none"}, "gemini-2.5-flash", {"thinkingBudget": 0}),
        ({"reasoning_effort": "none"}, "gemini-2.5-pro", {"thinkingBudget": 128}),
        ({"reasoning_effort": "high"}, "gemini-3-pro-preview", {"thinkingLevel": "HIGH"}),
        ({"reasoning_effort": "max"}, "gemini-3.1-pro", {"thinkingLevel": "HIGH"}),
        ({"reasoning_effort": "max"}, "gemini-4-pro", {"thinkingLevel": "XHIGH"}),
        ({"reasoning_effort": "medium"}, "gemini-3-pro-preview", {"thinkingLevel": "HIGH"}),
        ({"reasoning_effort": "medium"}, "gemini-3.1-pro-preview", {"thinkingLevel": "MEDIUM"}),
        ({"reasoning_effort": "minimal"}, "gemini-3.1-pro-preview", {"thinkingLevel": "LOW"}),
        ({"reasoning_effort": "minimal"}, "gemini-3.7-flash", {"thinkingLevel": "LOW"}),
        ({"reasoning_effort": "minimal"}, "gemini-3.5-flash-lite", {"thinkingLevel": "MINIMAL"}),
        ({"reasoning_effort": "none"}, "models/gemini-3-flash", {"thinkingLevel": "MINIMAL"}),
        ({"reasoning_effort": "high"}, "gemini-2.0-flash", None),
        ({"reasoning_effort": "turbo"}, "gemini-2.5-flash", None),
        ({"reasoning": {"max_tokens": 2000}}, "gemini-2.5-flash", {"thinkingBudget": 2000}),
        ({"thinking": {"type": "disabled"}}, "mimo-v2.5-pro", {"thinkingBudget": 0}),
        ({"thinking": {"type": "enabled", "budget_tokens": 900}}, "gemini-2.5-flash", {"thinkingBudget": 900}),
        ({"enable_thinking": False}, "gemini-2.5-flash", {"thinkingBudget": 0}),
        ({}, "gemini-3-pro", None),
        ({"reasoning_effort": "minimal"}, "gemini-flash-latest", {"thinkingLevel": "LOW"}),
        ({"reasoning_effort": "minimal"}, "gemini-flash-lite-latest", {"thinkingLevel": "MINIMAL"}),
        ({"reasoning_effort": "none"}, "gemini-flash-latest", {"thinkingBudget": 0}),
        ({"reasoning_effort": "none"}, "models/gemini-flash-lite-latest", {"thinkingBudget": 0}),
        ({"reasoning_effort": "none"}, "gemini-pro-latest", {"thinkingLevel": "LOW"}),
        ({"reasoning_effort": "max"}, "models/gemini-pro-latest", {"thinkingLevel": "HIGH"}),
        ({"reasoning_effort": "low"}, "gemini-live-2.5-flash", {"thinkingBudget": 1024}),
    ],
)
def test_effort_as_thinking(request_: dict[str, object], model: str, config: object) -> None:
    assert request_to_thinking_config(request_, model, Losses()) == config


def test_efforts_keep_their_order_as_budgets() -> None:
    ladder = ["none", "minimal", "low", "medium", "high", "xhigh"]
    budgets = [request_to_thinking_config({"reasoning_effort": rung}, "gemini-2.5-flash", Losses()) for rung in ladder]
    numbers = [budget["thinkingBudget"] for budget in budgets if budget]
    assert numbers == sorted(numbers, key=lambda number: int(str(number)))


@pytest.mark.parametrize(
    ("model", "levels"),
    [
        ("gemini-3-pro", True),
        ("gemini-2.5-pro", False),
        ("gpt-5", False),
        ("gemini-flash", True),
        ("google/gemini-pro-latest", True),
        ("gemini-exp-1206", True),
    ],
)
def test_which_models_take_levels(model: str, levels: bool) -> None:
    assert supports_thinking_levels(model) is levels


@pytest.mark.parametrize("nonsense", ["many", None, True, 1.5, {}])
def test_invalid_counts_are_dropped(nonsense: object) -> None:
    assert usage_to_gemini({"prompt_tokens": nonsense, "completion_tokens_details": nonsense}) == {}
    assert usage_to_openai({"promptTokenCount": nonsense})["total_tokens"] == 0


@pytest.mark.parametrize(
    ("last", "completion"),
    [
        ({"promptTokenCount": 87, "totalTokenCount": 165}, 78),
        ({"promptTokenCount": 87, "totalTokenCount": 165, "thoughtsTokenCount": 20}, 78),
        ({"promptTokenCount": 87, "totalTokenCount": 186}, 99),
        ({"promptTokenCount": 87}, 99),
    ],
)
def test_an_earlier_count_gives_way_to_a_later_total_that_contradicts_it(last: dict[str, int], completion: int) -> None:
    machine = GeminiToOpenAIStream()
    first = {"promptTokenCount": 87, "candidatesTokenCount": 99, "totalTokenCount": 186}
    parts = [{"text": "Aye."}]
    events = [
        {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}}], "usageMetadata": first},
        {"candidates": [{"index": 0, "finishReason": "STOP"}], "usageMetadata": last},
    ]
    chunks = [chunk for event in events for chunk in machine.feed(event)] + machine.close()
    usage = chunks[-1]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (87, completion)
