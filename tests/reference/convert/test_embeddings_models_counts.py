"""Embeddings, lists of models and token counts between the dialects: small pure tables."""

import struct
from base64 import b64decode

import pytest

from bridgecheck_reference.convert.embeddings import (
    gemini_batch_embedding_response_to_openai,
    gemini_embedding_request_to_openai,
    openai_embedding_request_to_gemini_batch,
    openai_embedding_response_to_gemini,
)
from bridgecheck_reference.convert.model_list import Model, next_page_token, read_models, write_models
from bridgecheck_reference.convert.token_count import (
    anthropic_token_count,
    build_anthropic_count_request,
    build_gemini_count_request,
    gemini_token_count,
    unwrap_gemini_count_request,
)
from bridgecheck_reference.errors import ConversionError


@pytest.mark.parametrize(("input_", "texts"), [("a", ["a"]), (["a", "b"], ["a", "b"])])
def test_openai_texts_become_requests_of_a_batch(input_, texts):
    request = {"model": "m", "input": input_, "dimensions": 8, "encoding_format": "base64", "user": "u"}
    result = openai_embedding_request_to_gemini_batch(request, model="models/m")
    assert result.value == {
        "requests": [
            {"model": "models/m", "content": {"parts": [{"text": content}]}, "outputDimensionality": 8}
            for content in texts
        ]
    }
    assert [loss.path for loss in result.losses] == ["user"]


@pytest.mark.parametrize("input_", [None, [], [1, 2], [[1], [2]], ["a", 1]])
def test_an_invalid_input_is_refused_by_its_field(input_):
    with pytest.raises(ConversionError) as error:
        openai_embedding_request_to_gemini_batch({"input": input_}, model="models/m")
    assert error.value.field == "input"


def test_vectors_come_back_as_numbers_or_packed():
    answer = {"embeddings": [{"values": [0.5, -1]}, {"values": [2.25]}], "usageMetadata": {"promptTokenCount": 3}}
    plain = gemini_batch_embedding_response_to_openai(answer, request={}, model="m")
    assert [item["embedding"] for item in plain["data"]] == [[0.5, -1], [2.25]]
    assert [item["index"] for item in plain["data"]] == [0, 1]
    assert plain["usage"] == {"prompt_tokens": 3, "total_tokens": 3} and plain["model"] == "m"
    packed = gemini_batch_embedding_response_to_openai(answer, request={"encoding_format": "base64"}, model="m")
    assert struct.unpack("<2f", b64decode(packed["data"][0]["embedding"])) == (0.5, -1.0)


@pytest.mark.proposal("ep-embed-g2o")
def test_gemini_requests_become_one_openai_request():
    single = {"content": {"parts": [{"text": "a"}, {"text": "b"}]}, "output_dimensionality": 8, "taskType": "X"}
    result = gemini_embedding_request_to_openai(single, model="e")
    assert result.value == {"model": "e", "input": ["ab"], "encoding_format": "float", "dimensions": 8}
    assert [loss.path for loss in result.losses] == ["taskType"]
    nested = {"content": {"parts": [{"text": "c"}]}, "embedContentConfig": {"outputDimensionality": 8}}
    both = gemini_embedding_request_to_openai({"requests": [single, nested]}, model="e")
    assert both.value["input"] == ["ab", "c"] and both.value["dimensions"] == 8


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        ({"requests": []}, "requests"),
        ({"content": {"parts": []}}, "content"),
        ({}, "content"),
        ({"requests": [{"content": {"parts": [{"inlineData": {}}]}}]}, "requests[].content.parts[]"),
        (
            {
                "requests": [
                    {"content": {"parts": [{"text": "a"}]}},
                    {"content": {"parts": [{"text": "b"}]}, "outputDimensionality": 2},
                ]
            },
            "outputDimensionality",
        ),
    ],
)
def test_gemini_requests_that_openai_cannot_serve(request_, field):
    with pytest.raises(ConversionError) as error:
        gemini_embedding_request_to_openai(request_, model="e")
    assert error.value.field == field


def test_openai_vectors_are_put_in_order_and_unpacked():
    packed = "AAAAPwAAgL8="  # 0.5, -1.0
    answer = {
        "data": [{"index": 1, "embedding": packed}, {"index": 0, "embedding": [1, 2]}],
        "usage": {"prompt_tokens": 4},
    }
    assert openai_embedding_response_to_gemini(answer, batch=True) == {
        "embeddings": [{"values": [1, 2]}, {"values": [0.5, -1.0]}],
        "usageMetadata": {"promptTokenCount": 4},
    }
    assert openai_embedding_response_to_gemini({"data": []}, batch=False) == {"embedding": {"values": []}}


LISTS = {
    "gemini": {"models": [{"name": "models/x", "displayName": "X", "inputTokenLimit": 10}, {}], "nextPageToken": "t"},
    "openai-chat": {"object": "list", "data": [{"id": "x", "object": "model", "created": 5, "owned_by": "o"}]},
    "anthropic": {
        "data": [{"type": "model", "id": "x", "display_name": "X", "created_at": "1970-01-01T00:00:05Z"}],
        "has_more": True,
        "last_id": "x",
    },
}


@pytest.mark.proposal("ep-models-list")
@pytest.mark.parametrize("upstream", list(LISTS))
def test_models_of_each_dialect_in_each_dialect(upstream):
    models = read_models(upstream, LISTS[upstream])
    assert [model.id for model in models] == ["x"]
    assert [item["name"] for item in write_models("gemini", models)["models"]] == ["models/x"]
    openai = write_models("openai-chat", models)
    assert openai["object"] == "list" and set(openai["data"][0]) == {"id", "object", "created", "owned_by"}
    assert openai["data"][0]["created"] == (0 if upstream == "gemini" else 5)
    anthropic = write_models("anthropic", models)
    assert (anthropic["first_id"], anthropic["last_id"], anthropic["has_more"]) == ("x", "x", False)
    assert anthropic["data"][0]["type"] == "model" and anthropic["data"][0]["created_at"].endswith("Z")


def test_page_tokens_and_empty_lists():
    assert [next_page_token(name, LISTS[name]) for name in LISTS] == ["t", "", "x"]
    assert write_models("anthropic", []) == {"data": [], "has_more": False, "first_id": None, "last_id": None}
    assert write_models("gemini", [Model("tunedModels/t")])["models"][0]["name"] == "tunedModels/t"


def test_count_requests_and_responses():
    inner = {"model": "models/m", "contents": [], "system_instruction": {}}
    assert unwrap_gemini_count_request({"generate_content_request": inner})["systemInstruction"] == {}
    assert unwrap_gemini_count_request({"contents": [1]}) == {"contents": [1]}
    assert build_gemini_count_request({"contents": []}, "models/m") == {
        "generateContentRequest": {"model": "models/m", "contents": []}
    }
    assert (
        build_anthropic_count_request({"model": "m", "messages": [], "max_tokens": 1, "stream": False})
        == {
            "model": "m",
            "messages": [],
        }
        | {}
    )
    assert (gemini_token_count({"totalTokens": 3}), gemini_token_count({})) == (3, None)
    assert (anthropic_token_count({"input_tokens": 3}), anthropic_token_count({})) == (3, None)


def test_a_page_of_anthropic_names_its_first_and_last_id():
    made = write_models("anthropic", [Model("a"), Model("b"), Model("c")])
    assert (made["first_id"], made["last_id"], made["has_more"]) == ("a", "c", False)


def test_an_anthropic_count_request_holds_only_what_is_counted():
    request = {
        "model": "m",
        "max_tokens": 1,
        "stream": True,
        "messages": [],
        "system": "s",
        "tools": [],
        "thinking": {},
    }
    assert build_anthropic_count_request(request).keys() == {"model", "messages", "system", "tools", "thinking"}
