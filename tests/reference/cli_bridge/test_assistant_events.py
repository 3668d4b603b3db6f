"""Lines that gemini-cli prints, as events of pi's protocol."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgecheck_reference.cli_bridge.assistant_events import AssistantEvents
from bridgecheck_reference.cli_bridge.exit_codes import describe_exit_code, http_status_of_exit_code

INIT = {"type": "init", "session_id": "s", "model": "gemini-2.5-flash"}
ECHO = {"type": "message", "role": "user", "content": "say hi"}
STATS = {"total_tokens": 16, "input_tokens": 11, "output_tokens": 2, "cached": 4, "input": 7, "duration_ms": 3}
SUCCESS = {"type": "result", "status": "success", "stats": STATS}
QUOTA = {
    "type": "result",
    "status": "error",
    "error": {"type": "unknown", "message": "[API Error: quota]"},
    "stats": {},
}
USAGE = {"input": 7, "output": 2, "cacheRead": 4, "cacheWrite": 0, "totalTokens": 16}


def model_text(content: object) -> dict[str, object]:
    return {"type": "message", "role": "assistant", "content": content, "delta": True}


def lines(*events: object) -> bytes:
    return "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events).encode()


def play(*events: object, code: int = 0, stderr: str = "") -> list[dict[str, object]]:
    machine = AssistantEvents("gemini-2.5-flash", 7)
    return [*machine.start(), *machine.feed(lines(*events)), *machine.close(code, stderr)]


def outline(events: list[dict[str, object]]) -> list[object]:
    """Each event without its messages; alone its type where nothing else is in it."""
    found = [
        {name: value for name, value in event.items() if name not in ("partial", "message", "error")}
        for event in events
    ]
    return [event["type"] if len(event) == 1 else event for event in found]


@pytest.mark.row("S5.12", "S5.13", "S5.14")
def test_an_answer_of_text() -> None:
    events = play(INIT, ECHO, model_text("Hi"), model_text(""), model_text(" there\u2028."), SUCCESS)
    assert outline(events) == [
        "start",
        {"type": "text_start", "contentIndex": 0},
        {"type": "text_delta", "contentIndex": 0, "delta": "Hi"},
        {"type": "text_delta", "contentIndex": 0, "delta": " there\u2028."},
        {"type": "text_end", "contentIndex": 0, "content": "Hi there\u2028."},
        {"type": "done", "reason": "stop"},
    ]
    message = events[-1]["message"]
    usage = message.pop("usage")
    assert {name: usage[name] for name in USAGE} == USAGE and set(usage["cost"].values()) == {0}
    assert message == {
        "role": "assistant", "api": "gemini-cli", "provider": "gemini-cli", "model": "gemini-2.5-flash", "timestamp": 7,
        "content": [{"type": "text", "text": "Hi there\u2028."}], "stopReason": "stop",
    }  # fmt: skip


@pytest.mark.row("S5.12")
def test_partial_messages_are_snapshots() -> None:
    events = play(model_text("a"), model_text("b"), SUCCESS)
    texts = [event["partial"]["content"] for event in events[:-1]]
    assert texts == [[], *([{"type": "text", "text": text}] for text in ("", "a", "ab", "ab"))]


@pytest.mark.row("S5.22")
def test_calls_of_tools_and_their_results_are_not_lost() -> None:
    events = play(
        model_text("Look."),
        {"type": "tool_use", "tool_name": "mcp_x", "tool_id": "mcp_x__1", "parameters": {"n": 1}},
        {"type": "tool_use", "tool_name": "mcp_x", "tool_id": "mcp_x__2", "parameters": {}},
        {"type": "tool_result", "tool_id": "mcp_x__2", "status": "error", "error": {"type": "e", "message": "no"}},
        {"type": "tool_result", "tool_id": "mcp_x__1", "status": "success", "output": "yes"},
        {"type": "tool_result", "tool_id": "mcp_x__9", "status": "success"},
        model_text("So."),
        SUCCESS,
    )
    call = {"type": "toolCall", "id": "mcp_x__1", "name": "mcp_x", "arguments": {"n": 1}, "executed": True}
    assert outline(events)[3:12] == [
        {"type": "text_end", "contentIndex": 0, "content": "Look."},
        {"type": "toolcall_start", "contentIndex": 1},
        {"type": "toolcall_delta", "contentIndex": 1, "delta": '{"n": 1}'},
        {"type": "toolcall_end", "contentIndex": 1, "toolCall": call},
        {"type": "toolcall_start", "contentIndex": 2},
        {"type": "toolcall_delta", "contentIndex": 2, "delta": "{}"},
        {"type": "toolcall_end", "contentIndex": 2, "toolCall": {**call, "id": "mcp_x__2", "arguments": {}}},
        {"type": "tool_result", "toolCallId": "mcp_x__2", "content": "no", "isError": True},
        {"type": "tool_result", "toolCallId": "mcp_x__1", "content": "yes", "isError": False},
    ]
    assert events[-1]["reason"] == "stop"
    assert [block["type"] for block in events[-1]["message"]["content"]] == ["text", "toolCall", "toolCall", "text"]
    assert events[-1]["message"]["content"][1]["result"] == {"content": "yes", "isError": False}


def test_a_thought_is_a_block_of_its_own() -> None:
    events = play({"type": "thought", "value": {"subject": "Sum", "description": "six"}}, model_text("6"), SUCCESS)
    assert [event["type"] for event in events] == [
        "start", "thinking_start", "thinking_delta", "thinking_end", "text_start", "text_delta", "text_end", "done",
    ]  # fmt: skip
    assert events[-1]["message"]["content"][0] == {"type": "thinking", "thinking": "Sum\nsix"}


@pytest.mark.row("S5.13", "S5.24")
@pytest.mark.parametrize(
    ("events", "code", "stderr", "message", "status"),
    [
        ([INIT, QUOTA], 173, "noise", "[API Error: quota]; exit code 173: HTTP status 429", 429),
        ([INIT, QUOTA], 0, "", "[API Error: quota]", None),
        ([{"type": "result", "status": "error"}], 0, "", "gemini-cli failed", None),
        ([{"type": "error", "severity": "error", "message": "loop"}, QUOTA], 0, "", "[API Error: quota]; loop", None),
        ([{"type": "error", "severity": "warning", "message": "x"}], 41, " no key \n", "gemini-cli ended without a result; exit code 41: authentication failed; no key", None),
        ([INIT, model_text("half")], 0, "", "gemini-cli ended without a result", None),
        ([], 0, "", "gemini-cli ended without a result", None),
        ([], -15, "", "gemini-cli ended without a result; ended by SIGTERM", None),
        ([], 1, "", "gemini-cli ended without a result; exit code 1", None),
    ],
)  # fmt: skip
def test_failures(events: list[object], code: int, stderr: str, message: str, status: int | None) -> None:
    last = play(*events, code=code, stderr=stderr)[-1]
    assert (last["type"], last["reason"]) == ("error", "error")
    assert (last["error"]["errorMessage"], last["error"]["errorStatus"]) == (message, status)
    assert last["error"]["stopReason"] == "error"


def test_a_success_without_an_answer_and_without_a_call_of_the_model_is_a_failure() -> None:
    """gemini-cli 0.61.0 reports this of a prompt that is beyond its model's window."""
    nothing = {"total_tokens": 0, "input_tokens": 0, "output_tokens": 0, "cached": 0, "input": 0, "models": {}}
    last = play(INIT, {**SUCCESS, "stats": nothing})[-1]
    assert last["type"] == "error" and "it did not call its model" in last["error"]["errorMessage"]
    assert play(INIT, SUCCESS)[-1]["type"] == "done", "an empty answer of the model"
    assert play(INIT, {**SUCCESS, "stats": None})[-1]["type"] == "done", "nothing is known"


@pytest.mark.row("S5.24")
def test_a_result_counts_more_than_the_exit_code() -> None:
    assert play(model_text("a"), SUCCESS, code=1)[-1]["type"] == "done"


def test_a_failure_keeps_the_text_so_far() -> None:
    assert play(model_text("half"), QUOTA, code=144)[-1]["error"]["content"] == [{"type": "text", "text": "half"}]


def test_an_abort_is_an_error_of_its_own_kind() -> None:
    machine = AssistantEvents("m", 7)
    machine.feed(lines(model_text("half")))
    (event,) = machine.abort("enough")
    assert (event["type"], event["reason"], event["error"]["stopReason"], event["error"]["errorMessage"]) == (
        "error",
        "aborted",
        "aborted",
        "enough",
    )
    assert event["error"]["content"] == [{"type": "text", "text": "half"}]


@pytest.mark.row("S5.11")
@pytest.mark.parametrize(
    "foreign",
    [
        b"Loaded cached credentials.\n",
        b"\n\r\n",
        b"[1]\n",
        b"\xff\xfe\n",
        b'{"type": ["message"]}\n',
        b'{"type": "novel"}\n',
        b'{"type": "message", "role": "assistant", "content": 7}\n',
        b'{"type": "tool_result"}\n',
    ],
)
def test_foreign_lines_change_no_text(foreign: bytes) -> None:
    machine = AssistantEvents("m", 7)
    events = machine.feed(foreign + lines(model_text("a")) + foreign + lines(SUCCESS) + foreign) + machine.close(0)
    assert events[-1]["type"] == "done"
    assert [event["delta"] for event in events if event["type"] == "text_delta"] == ["a"]


RUN = lines(
    INIT,
    ECHO,
    model_text("é北𝒜\u2028"),
    {"type": "tool_use", "tool_name": "t", "tool_id": "1", "parameters": {}},
    model_text("b"),
    SUCCESS,
)


@pytest.mark.row("S5.11")
@given(cuts=st.lists(st.integers(0, len(RUN)), max_size=10), crlf=st.booleans(), whole=st.booleans())
def test_any_cuts_give_the_same_events(cuts: list[int], crlf: bool, whole: bool) -> None:
    data = RUN.replace(b"\n", b"\r\n") if crlf else RUN
    data = data if whole else data.rstrip()
    machine, events = AssistantEvents("gemini-2.5-flash", 7), []
    for start, stop in pairwise([0, *sorted(cuts), len(data)]):
        events += machine.feed(data[start:stop])
    expected = AssistantEvents("gemini-2.5-flash", 7)
    assert events + machine.close(0) == expected.feed(RUN) + expected.close(0)


def test_single_bytes_give_the_same_events() -> None:
    machine, expected = AssistantEvents("m", 7), AssistantEvents("m", 7)
    events = [event for byte in RUN for event in machine.feed(bytes([byte]))]
    assert events == expected.feed(RUN)


@given(
    documents=st.lists(
        st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "role",
                    "content",
                    "status",
                    "stats",
                    "error",
                    "tool_id",
                    "parameters",
                    "output",
                    "message",
                    "severity",
                    "value",
                ]
            ),
            st.one_of(
                st.none(),
                st.booleans(),
                st.integers(),
                st.sampled_from(
                    ["message", "assistant", "result", "tool_use", "tool_result", "error", "success", "thought", "x"]
                ),
                st.lists(st.integers(), max_size=1),
                st.dictionaries(
                    st.sampled_from(["message", "input", "cached", "subject"]),
                    st.one_of(st.integers(), st.text(max_size=2)),
                    max_size=2,
                ),
            ),
        ),
        max_size=6,
    ),
    code=st.integers(-70, 300),
)
def test_no_line_breaks_the_protocol(documents: list[object], code: int) -> None:
    events = play(*documents, code=code)
    kinds = [event["type"] for event in events]
    assert kinds[0] == "start" and kinds[-1] in ("done", "error") and not {"done", "error"} & set(kinds[:-1])
    depth = 0
    for kind in kinds:
        depth += kind.endswith("_start")
        depth -= kind.endswith("_end")
        assert depth in (0, 1)
    assert depth == 0 or kinds[-1] == "error"
    json.dumps(events)


@pytest.mark.row("S5.24")
@pytest.mark.parametrize(
    ("code", "status", "description"),
    [
        (144, 400, "exit code 144: HTTP status 400"), (173, 429, "exit code 173: HTTP status 429"),
        (244, 500, "exit code 244: HTTP status 500"), (255, 511, "exit code 255: HTTP status 511"),
        (143, None, "exit code 143"), (0, None, "exit code 0"), (256, None, "exit code 256"),
        (41, None, "exit code 41: authentication failed"), (42, None, "exit code 42: its input or options were refused"),
        (52, None, "exit code 52: its configuration is invalid"), (53, None, "exit code 53: the limit of turns was reached"),
        (54, None, "exit code 54: a tool failed"), (130, None, "exit code 130: it was cancelled"),
        (-9, None, "ended by SIGKILL"), (-99, None, "ended by signal 99"),
    ],
)  # fmt: skip
def test_exit_codes(code: int, status: int | None, description: str) -> None:
    assert (http_status_of_exit_code(code), describe_exit_code(code)) == (status, description)
