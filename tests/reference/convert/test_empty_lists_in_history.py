"""A history whose assistant messages hold empty lists, as some hosts send them and clients give them back."""

import pytest

from bridgecheck_reference import adapter


@pytest.mark.parametrize("members", [{"tool_calls": []}, {"tool_calls": None}, {"annotations": []}])
def test_a_message_with_an_empty_list_is_written_once(members):
    answer = {"role": "assistant", "content": "Kiel", **members}
    request = {"model": "m", "messages": [{"role": "user", "content": "a"}, answer, {"role": "user", "content": "b"}]}
    sent = adapter.to_upstream(request, client="openai-chat", upstream="gemini", mode="unary", model="gemini-2.5-flash")
    assert [[part["text"] for part in content["parts"]] for content in sent["contents"]] == [["a"], ["Kiel"], ["b"]]
