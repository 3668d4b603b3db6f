"""Where a leaf stands in a document."""

from bridgecheck.ledger.places import make, places, put

STEPS = ("messages", "[assistant]", "tool_calls", "[function]", "id")


def test_members_are_found_by_their_tag() -> None:
    call = {"type": "function", "id": "one"}
    top = {"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [{"type": "custom", "id": "x"}, call]}]}
    assert places(top, STEPS) == [call]


def test_those_that_hold_the_key_come_before_those_that_could() -> None:
    top = [{"a": {}}, {"a": {"b": 1}}]
    assert places(top, ("[]", "a", "b")) == [{"b": 1}]
    assert places(top, ("[]", "a", "c")) == [{}, {"b": 1}]


def test_only_objects_that_any_document_may_hold_are_made() -> None:
    top: dict[str, object] = {}
    make(top, ("generationConfig", "thinkingConfig", "thinkingBudget"))
    make(top, ("promptFeedback", "blockReason"))
    assert top == {"generationConfig": {"thinkingConfig": {}}}


def test_put_goes_by_index() -> None:
    top = {"messages": [{"content": [{"id": "a"}]}]}
    put(top, "messages.0.content.0.id", "b")
    assert top == {"messages": [{"content": [{"id": "b"}]}]}
