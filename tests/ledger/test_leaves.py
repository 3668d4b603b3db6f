"""Leaves: every documented one is probed or excluded with a reason, and every document is valid in its dialect."""

from typing import Literal, TypeAlias, get_args, get_origin, get_type_hints

import pytest
from anthropic.types.beta import BetaMessage
from google.genai import types as google
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from pydantic import BaseModel

from bridgecheck import normalise, validate
from bridgecheck.documented_leaves import MEMBERS_BELOW, SIDES, Side, find_leaves, is_documented, path_keys
from bridgecheck.ledger.features import differing_paths, outcome_features, prompt_features
from bridgecheck.ledger.probes import TABLES, LeafWithoutBaseOrValues, Probe, make_probes, reason_left_out
from bridgecheck.model.exchange import Request, Response
from bridgecheck.wire import DIALECTS, Dialect
from bridgecheck.wire import anthropic_documents as anthropic
from bridgecheck.wire import gemini_documents as gemini
from bridgecheck.wire import openai_chat_documents as openai

Keys: TypeAlias = tuple[str, ...]
ALL = [(dialect, side) for dialect in DIALECTS for side in SIDES]


def _probes(dialect: Dialect, side: Side) -> list[Probe]:
    return [probe for probe in make_probes(dialect, side) if isinstance(probe, Probe)]


@pytest.mark.parametrize(("dialect", "side"), ALL)
def test_every_leaf_is_probed_or_excluded_with_a_reason(dialect: Dialect, side: Side) -> None:
    holes = [
        (probe.leaf.path, probe.why)
        for probe in make_probes(dialect, side)
        if isinstance(probe, LeafWithoutBaseOrValues)
    ]
    assert not holes
    run = {probe.leaf for probe in _probes(dialect, side)}
    for leaf in find_leaves(dialect, side):
        assert (leaf in run) != (len(reason_left_out(leaf)) > 10), leaf.path


@pytest.mark.parametrize(("dialect", "side"), ALL)
def test_the_tables_name_only_documented_leaves(dialect: Dialect, side: Side) -> None:
    paths = {leaf.path for leaf in find_leaves(dialect, side)}
    table = TABLES[dialect][side]
    assert not {name.partition("@")[0] for name in table.samples} - paths
    assert not [start for start in table.left_out if not any(path.startswith(start) for path in paths)]
    used = {probe.base_name for probe in _probes(dialect, side)}
    assert set(table.bases) == used, "bases that no leaf is run in, or the reverse"


@pytest.mark.parametrize(("dialect", "side"), ALL)
def test_every_document_is_valid(dialect: Dialect, side: Side) -> None:
    for probe in _probes(dialect, side):
        for base in (probe.base, probe.a, probe.b):
            for document in base.documents:
                if side == "request":
                    assert not validate.request(dialect, document), probe.name
                else:
                    mode = "stream" if side == "stream" else "unary"
                    assert not validate.response(dialect, mode, document), probe.name


@pytest.mark.parametrize(("dialect", "side"), ALL)
def test_the_normal_form_distinguishes_the_two_values(dialect: Dialect, side: Side) -> None:
    """A normaliser that drops a leaf would hide its loss."""
    for probe in _probes(dialect, side):
        if side == "request":
            forms = [
                prompt_features(normalise.request(Request(dialect, "unary", run.documents[0])))
                for run in (probe.a, probe.b)
            ]
        else:
            mode = "stream" if side == "stream" else "unary"
            answers = [Response(dialect, mode, run.documents, run.status) for run in (probe.a, probe.b)]
            forms = [outcome_features(normalise.response(answer)) for answer in answers]
        assert differing_paths(*forms), probe.name


SDK_RESPONSES = {
    "gemini": (google.GenerateContentResponse,),
    "openai-chat": (ChatCompletion, ChatCompletionChunk),
    "anthropic": (BetaMessage,),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_objects_without_a_typed_dict_have_the_members_of_the_sdk(dialect: Dialect) -> None:
    found: dict[Keys, bool] = {}
    for shape in SDK_RESPONSES[dialect]:
        add_members(shape, (), found)
    free = {path_keys(leaf.path) for leaf in find_leaves(dialect, "response") if leaf.kind in ("object", "objects")}
    expected = {
        ".".join(at): {f"{keys[-1]}{'*' if any_below else ''}" for keys, any_below in below.items()}
        for at in free
        if (below := {keys: free for keys, free in found.items() if keys[: len(at)] == at and keys != at})
    }
    assert expected == MEMBERS_BELOW[dialect]


def add_members(hint: object, at: Keys, found: dict[Keys, bool]) -> None:
    """Add the keys of every member of an SDK's type, and whether anything may stand below it."""
    arguments = get_args(hint)
    if get_origin(hint) is dict or hint in (object, dict):
        found[at] = True
    elif arguments and get_origin(hint) is not Literal:
        for argument in arguments:
            add_members(argument, at, found)
    elif isinstance(hint, type) and issubclass(hint, BaseModel):
        for name, field in hint.model_fields.items():
            keys = (*at, *path_keys(field.alias or field.serialization_alias or name))
            found.setdefault(keys, False)
            add_members(field.annotation, keys, found)


def test_what_no_type_of_an_sdk_names_is_undocumented_at_any_depth() -> None:
    assert is_documented("anthropic", "response", "usage.cache_creation.ephemeral_1h_input_tokens")
    assert not is_documented("anthropic", "response", "usage.cache_creation.cost")
    assert not is_documented("openai-chat", "response", "choices[].logprobs.reasoning_content[].token")
    assert is_documented("gemini", "response", "candidates[].content.parts[].toolCall.args.anything.at.all")
    assert is_documented("openai-chat", "response", "metadata.anything")


TOPS = {
    "gemini": (gemini, ("GenerateContentRequest", "GenerateContentResponse")),
    "openai-chat": (openai, ("ChatRequest", "ChatCompletion", "ChatCompletionChunk")),
    "anthropic": (anthropic, ("MessagesRequest", "Message", "MessageStart", "MessageDelta")),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_leaf_paths_reach_every_typed_dict_key(dialect: Dialect) -> None:
    """A key of a TypedDict in no path is missing from the tables."""
    module, _ = TOPS[dialect]
    steps = {step for side in SIDES for leaf in find_leaves(dialect, side) for step in leaf.steps}
    unreached = {
        f"{name}.{key}"
        for name, shape in vars(module).items()
        if isinstance(shape, type) and shape.__module__ == module.__name__
        for key in get_type_hints(shape)
        if key not in steps
    }
    assert unreached == NO_LEAF[dialect]


NO_LEAF: dict[str, set[str]] = {"gemini": set(), "openai-chat": set(), "anthropic": set()}


def test_paths_are_readable() -> None:
    found = {leaf.path: leaf.kind for leaf in find_leaves("anthropic", "stream")}
    assert found["[content_block_delta].delta(text_delta).text"] == "text"
    kinds = {leaf.path: leaf.kind for leaf in find_leaves("openai-chat", "request")}
    assert kinds["messages[assistant].tool_calls[function].function.arguments"] == "text"
    assert kinds["temperature"] == "number"
    assert {leaf.kind for leaf in find_leaves("openai-chat", "request") if leaf.path == "stop"} == {"text", "texts"}
