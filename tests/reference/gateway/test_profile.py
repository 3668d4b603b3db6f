"""The gateway converts with the profile that its settings name."""

import pytest

from bridgecheck_reference.config import load_profile
from bridgecheck_reference.conversion_profile import NATIVE
from bridgecheck_reference.errors import ConfigError
from bridgecheck_reference.gateway.config import build_config, read_toml_file

ANSWER = {
    "candidates": [
        {
            "content": {
                "role": "model",
                "parts": [{"functionCall": {"id": "fc", "name": "f", "args": {}}, "thoughtSignature": "QUJD"}],
            },
            "finishReason": "STOP",
        }
    ],
    "responseId": "r",
}
LISTED = {"gemini": ("http://127.0.0.1:1", "")}


def request_(*messages):
    return {"model": "gemini-3-pro", "messages": [{"role": "user", "content": "hi"}, *messages]}


@pytest.mark.parametrize("stream", [False, True])
async def test_signatures_come_back_in_ids_of_a_forgetful_client(lab, stream):
    answer = lab.sse(ANSWER) if stream else lab.json(ANSWER)
    async with lab.pair("gemini", answer, lab.json(ANSWER), profile=load_profile("signed-ids", {})) as pair:
        response = await pair.post("/v1/chat/completions", {**request_(), "stream": stream})
        found = (
            lab.events(response.content)[0]["choices"][0]["delta"]
            if stream
            else response.json()["choices"][0]["message"]
        )
        call = {key: found["tool_calls"][0][key] for key in ("id", "type", "function")}
        assert call["id"].startswith("sig_")
        turns = (
            {"role": "assistant", "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": "1"},
        )
        await pair.post("/v1/chat/completions", request_(*turns))
        contents = pair.upstream.requests[1].body["contents"]
    assert contents[1]["parts"] == ANSWER["candidates"][0]["content"]["parts"]
    assert contents[2]["parts"][0]["functionResponse"]["id"] == "fc"


def test_the_settings_name_the_profile(tmp_path):
    file = tmp_path / "gateway.toml"
    file.write_text('profile = "letter"\n', encoding="utf-8")
    env = {"GEMINI_TO_OPENAI_LOW_REASONING_THRESHOLD": "7"}
    config = build_config(LISTED, read_toml_file(file).rest, env)
    assert (config.profile.name, config.profile.low_budget) == ("letter", 7)
    assert build_config(LISTED, {}, {}).profile == NATIVE
    file.write_text('profile = "latter"\n', encoding="utf-8")
    with pytest.raises(ConfigError, match="unknown profile 'latter'"):
        build_config(LISTED, read_toml_file(file).rest, {})
