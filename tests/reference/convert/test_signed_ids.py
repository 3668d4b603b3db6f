"""Signatures inside ids come back whole from a client that drops unknown members."""

import copy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.convert.gemini.request_from_openai import openai_request_to_gemini
from bridgecheck_reference.convert.gemini.responses import gemini_response_to_openai
from bridgecheck_reference.convert.gemini.stream_to_openai import GeminiToOpenAIStream
from bridgecheck_reference.convert.signatures import LONGEST_SIGNED_ID, embed_signature_in_id, split_signed_id

from .samples import call, event

IN_ID = replace(NATIVE, signature_carrier="id")
LEGAL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@given(st.text(max_size=60), st.text(min_size=1, max_size=200))
def test_any_id_and_signature_come_back(id: str, signature: str) -> None:
    signed = embed_signature_in_id(id, signature)
    assert signed is not None and LEGAL.issuperset(signed)
    assert split_signed_id(signed) == (id, signature)
    assert signed == embed_signature_in_id(id, signature)


@given(st.binary(min_size=1, max_size=300))
def test_base64_costs_no_more_than_itself(raw: bytes) -> None:
    from base64 import b64encode

    signature = b64encode(raw).decode("ascii")
    signed = embed_signature_in_id("call_1", signature)
    assert signed is not None and len(signed) <= len(signature) + len("call_1") + 19
    assert split_signed_id(signed) == ("call_1", signature)


@given(st.text(max_size=80))
def test_an_ordinary_id_stays_unchanged(id: str) -> None:
    assert split_signed_id(id) is None
    assert split_signed_id(f"sig_{id}") is None


def test_a_damaged_id_is_an_ordinary_one() -> None:
    signed = embed_signature_in_id("a", "QUJD") or ""
    for at in range(len(signed)):
        damaged = signed[:at] + ("x" if signed[at] != "x" else "y") + signed[at + 1 :]
        assert split_signed_id(damaged) is None
        assert split_signed_id(signed[:at]) is None


def test_a_signature_that_is_too_long_does_not_fit() -> None:
    assert embed_signature_in_id("a", "A" * LONGEST_SIGNED_ID) is None
    fitting = embed_signature_in_id("a", "A" * (LONGEST_SIGNED_ID - 20)) or ""
    assert len(fitting) == LONGEST_SIGNED_ID
    assert split_signed_id(fitting) == ("a", "A" * (LONGEST_SIGNED_ID - 20))


def signed_answer(signature: str, id: str = "fc-1") -> dict[str, object]:
    first = {**call("w", {"city": "Rom"}, id=id), "thoughtSignature": signature}
    return event(first, call("w", {"city": "Bari"}, id="fc-2"), finish="STOP", responseId="r")


def strip_extra_content(message: dict[str, object]) -> dict[str, object]:
    """Return what a client sends back that keeps only id, name and arguments."""
    remaining = [{key: entry[key] for key in ("id", "type", "function")} for entry in message["tool_calls"]]
    return {"role": "assistant", "content": None, "tool_calls": remaining}


def next_turn(message: dict[str, object], *earlier: dict[str, object]) -> list[dict[str, object]]:
    """The Gemini contents of the request after the answer."""
    results = [
        {"role": "tool", "tool_call_id": entry["id"], "content": entry["function"]["arguments"]}
        for entry in message["tool_calls"]
    ]
    messages = [{"role": "user", "content": "go"}, *earlier, strip_extra_content(message), *results]
    converted = openai_request_to_gemini({"model": "gemini-3-pro", "messages": messages})
    assert {loss.path for loss in converted.losses} <= {"messages[].tool_calls[]"}
    return converted.value["contents"]


@pytest.mark.row("S1.36", "S1.37")
@pytest.mark.parametrize("signature", ["QUJDRA==", "a+b/c=", "with.dots and spaces", "é"])
def test_a_forgetful_client_gives_the_signature_back(signature: str) -> None:
    answer = gemini_response_to_openai(signed_answer(signature), profile=IN_ID).value
    message = answer["choices"][0]["message"]
    assert "extra_content" not in message["tool_calls"][0]
    assert message["tool_calls"][1]["id"] == "fc-2"
    _, model, results = next_turn(copy.deepcopy(message))
    assert model["parts"] == [
        {"functionCall": {"id": "fc-1", "name": "w", "args": {"city": "Rom"}}, "thoughtSignature": signature},
        {"functionCall": {"id": "fc-2", "name": "w", "args": {"city": "Bari"}}},
    ]
    assert [part["functionResponse"]["id"] for part in results["parts"]] == ["fc-1", "fc-2"]


@pytest.mark.row("S1.35")
def test_a_stream_has_the_same_ids_as_a_unary_answer() -> None:
    whole = gemini_response_to_openai(signed_answer("QUJD"), profile=IN_ID).value["choices"][0]["message"]["tool_calls"]
    stream = GeminiToOpenAIStream(profile=IN_ID)
    chunks = stream.feed(signed_answer("QUJD")) + stream.close()
    streamed = [
        entry for item in chunks for choice in item["choices"] for entry in choice["delta"].get("tool_calls", [])
    ]
    assert [entry["id"] for entry in streamed] == [entry["id"] for entry in whole]


def test_a_conversation_that_began_with_plain_ids_goes_on() -> None:
    plain = {
        "role": "assistant",
        "tool_calls": [{"id": "old", "type": "function", "function": {"name": "w", "arguments": "{}"}}],
    }
    earlier = (plain, {"role": "tool", "tool_call_id": "old", "content": "x"})
    message = gemini_response_to_openai(signed_answer("QUJD"), profile=IN_ID).value["choices"][0]["message"]
    contents = next_turn(message, *earlier)
    ids = [part["functionCall"]["id"] for content in contents for part in content["parts"] if "functionCall" in part]
    assert ids == ["old", "fc-1", "fc-2"]


def test_a_call_without_an_id_of_its_own_is_signed_too() -> None:
    answer = event({**call("w"), "thoughtSignature": "QUJD"}, finish="STOP", responseId="r")
    message = gemini_response_to_openai(answer, profile=IN_ID).value["choices"][0]["message"]
    assert next_turn(message)[1]["parts"][0]["thoughtSignature"] == "QUJD"


def test_a_signature_too_long_for_an_id_travels_in_the_field() -> None:
    long = "A" * LONGEST_SIGNED_ID
    entry = gemini_response_to_openai(signed_answer(long), profile=IN_ID).value["choices"][0]["message"]["tool_calls"][
        0
    ]
    assert entry["id"] == "fc-1"
    assert entry["extra_content"] == {"google": {"thought_signature": long}}


def test_a_profile_that_drops_signatures_drops_those_in_ids() -> None:
    message = gemini_response_to_openai(signed_answer("QUJD"), profile=IN_ID).value["choices"][0]["message"]
    request = {"model": "m", "messages": [{"role": "user", "content": "go"}, strip_extra_content(message)]}
    converted = openai_request_to_gemini(request, profile=replace(NATIVE, signatures="drop")).value
    assert converted["contents"][1]["parts"][0] == {
        "functionCall": {"id": "fc-1", "name": "w", "args": {"city": "Rom"}}
    }
    dropped = gemini_response_to_openai(signed_answer("QUJD"), profile=replace(IN_ID, signatures="drop")).value
    assert dropped["choices"][0]["message"]["tool_calls"][0]["id"] == "fc-1"
