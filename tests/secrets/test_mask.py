"""Every kind of secret in every placement is masked in a text, and ordinary text is not."""

import json

import pytest

from bridgecheck.secrets import find_secret_kinds, mask_strings, mask_text, remember_environment, remember_secret
from bridgecheck.secrets.known_values import known_secrets

from .planted_secrets import ENVIRONMENT, KINDS, PLACEMENTS, RECIPE_ENVIRONMENT, SPLIT, TEXTS, find_planted


@pytest.fixture(autouse=True)
def _environment() -> None:
    remember_environment(ENVIRONMENT)
    for value in RECIPE_ENVIRONMENT.values():
        remember_secret(value)


@pytest.mark.parametrize("placement", PLACEMENTS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_secret_is_masked_in_every_placement(kind: str, placement: str) -> None:
    text = next(text for name, place, text in TEXTS if (name, place) == (kind, placement))
    surrounded = json.dumps({"content": [{"text": f"It said: {text} (that was it)"}, "the end"]})
    assert find_planted(surrounded), "nothing was planted"
    masked = mask_text(surrounded)
    assert find_planted(masked) == []
    assert json.loads(masked)["content"][1] == "the end"
    assert mask_text(masked) == masked
    assert find_secret_kinds(surrounded.encode())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("member", ["text", "partial_json", "arguments"])
def test_a_secret_that_is_split_over_two_events_is_masked(kind: str, member: str) -> None:
    first, second = next((first, second) for name, first, second in SPLIT if name == kind)
    events = [{"index": 0, "delta": {member: part}} for part in ("", "Well. ", first, second, " Done.")]
    for text in (json.dumps(events), "\n\n".join(f"data: {json.dumps(event)}" for event in events), repr(events)):
        for written in (text, json.dumps(text)):
            assert f"{kind}: split" in find_planted(written), "nothing was planted"
            masked = mask_text(written)
            assert find_planted(masked) == []
            assert "Well. " in masked
            assert " Done." in masked


@pytest.mark.parametrize(
    "harmless",
    [
        "task-force-of-twenty-people", "a risk-averse-and-very-careful-bank", "Bearer of bad news, a long tale",
        "AIzaShort", "sk-short", "Basic understanding of the matter", "a basic authentication", "https://host:443/path@x",
        '"usage": {"prompt_tokens": 12345678, "cached_tokens": 99999999}', "api_key = os.environ['OPENAI_API_KEY']",
        '"authorization": "Bearer {upstream_key}"', "the token limit is 123456789012", "cookie: a small cake",
        '{"password": {"type": "string", "description": "at least 12 characters"}}', '{"token": "Hello", "logprob": -1}',
        "da39a3ee5e6b4b0d3255bfef95601890afd80709", "projects/{project}/locations/eu", "Authorization: Bearer",
        '{"required": ["password", "userName"]}', '{"enum": ["password", "clientCredentials", "authorizationCode"]}',
        '{"properties": {"api_key": {"type": "string", "title": "Api Key"}}, "propertyOrdering": ["api_key", "line2"]}',
        '{"name": "password", "in": "query", "schema": {"type": "string"}}', '{"const": "password", "title": "Password"}',
        "0b3f8f6c-5c9f-4e0e-9d0b-5c1f1f1e2d3c", "see https://github.com/someone/Some-Project1/issues/123456789",
    ],
)  # fmt: skip
def test_ordinary_text_stays(harmless: str) -> None:
    assert mask_text(harmless) == harmless


@pytest.mark.parametrize(
    "text",
    [
        '{"password": "radiance"}', '{"args": {"db_password": "rosebud1"}}', '["password", "tr0ub4dor-and-three"]',
        '[["x-api-key", "Zq7fWm2xK9Wm2xK9"]]', '{"name": "password", "value": "Tr0ub4dor"}',
    ],
)  # fmt: skip
def test_the_value_of_a_member_named_for_a_credential_is_masked(text: str) -> None:
    assert "REDACTED" in mask_text(text)


def test_masking_stays_within_a_json_string() -> None:
    events = [{"partial_json": '{"password":"'}, {"type": "content_block_stop"}, {"partial_json": "x"}]
    assert json.loads(mask_text(json.dumps(events))) == events


def test_what_holds_no_secret_is_returned_itself() -> None:
    value = {"a": ("b", ["c", 1, None])}
    assert mask_strings(value) is value
    secret = KINDS["sk-proj"][0]
    assert mask_strings({secret: (secret, 1)}) == {"REDACTED": ("REDACTED", 1)}


def test_short_values_of_the_environment_are_masked_only_where_they_are_named() -> None:
    remember_environment({"SOME_TOKEN": "elevenchars", "PLAIN": "a value without a mark"})
    assert not known_secrets() & {"elevenchars", "a value without a mark"}
    remember_environment({"SOME_KEY_FILE": "x", "NAMED": "a value that is named"}, named=("NAMED",))
    assert mask_text("here: a value that is named") == "here: REDACTED"


@pytest.mark.parametrize("value", ["true", "False", "off", "0", "4000"])
def test_a_switch_of_a_recipe_is_no_secret(value: str) -> None:
    """LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY is "true", and so is every streamed request."""
    remember_secret(value)
    assert mask_text(f'{{"stream": {value.lower()}}}') == f'{{"stream": {value.lower()}}}'
    assert value not in known_secrets()
