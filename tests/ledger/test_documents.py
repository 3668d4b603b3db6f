"""The location of a leaf in a document."""

from bridgecheck.ledger.documents import add_optional_objects, find_holders_or_possible_holders, set_value

STEPS = ("messages", "[assistant]", "tool_calls", "[function]", "id")


def test_union_members_are_found_by_their_tag() -> None:
    call = {"type": "function", "id": "one"}
    top = {"messages": [{"role": "user"}, {"role": "assistant", "tool_calls": [{"type": "custom", "id": "x"}, call]}]}
    assert find_holders_or_possible_holders(top, STEPS) == [call]


def test_members_that_hold_the_key_come_first() -> None:
    top = [{"a": {}}, {"a": {"b": 1}}]
    assert find_holders_or_possible_holders(top, ("[]", "a", "b")) == [{"b": 1}]
    assert find_holders_or_possible_holders(top, ("[]", "a", "c")) == [{}, {"b": 1}]


def test_only_optional_objects_are_created() -> None:
    top: dict[str, object] = {}
    add_optional_objects(top, ("generationConfig", "thinkingConfig", "thinkingBudget"))
    add_optional_objects(top, ("promptFeedback", "blockReason"))
    assert top == {"generationConfig": {"thinkingConfig": {}}}


def test_put_value_follows_indices() -> None:
    top = {"messages": [{"content": [{"id": "a"}]}]}
    set_value(top, "messages.0.content.0.id", "b")
    assert top == {"messages": [{"content": [{"id": "b"}]}]}
