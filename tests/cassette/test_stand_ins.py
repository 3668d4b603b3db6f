"""Stand-ins: which texts are ids, what stands in their place, and when two sets of ids are the same."""

import json

import pytest

from bridgecheck.cassette.stand_ins import IdPairs, StandIns, find_ids, replace_ids, shape_of

EMAIL = "ann.lee@mail.acme-works.org"
PROJECT = "acme-prod-417309"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"write to {EMAIL}, please", EMAIL),
        ("org-Ab12Cd34Ef56", "Ab12Cd34Ef56"),
        ("proj_Ab12Cd34Ef56Gh", "Ab12Cd34Ef56Gh"),
        ('{"request_id": "req_011CXtt2XYJRtnoD4g5iRq1Z"}', "011CXtt2XYJRtnoD4g5iRq1Z"),
        ('{"request_id":"b2484ec6-c8ed-92fc-be96-39e2350a25d5"}', "b2484ec6-c8ed-92fc-be96-39e2350a25d5"),
        ("user_1f2e3d4c_account_b2484ec6-c8ed-92fc-be96-39e2350a25d5", "b2484ec6-c8ed-92fc-be96-39e2350a25d5"),
        (f"projects/{PROJECT}/locations/eu", PROJECT),
        ("API disabled in project 417309114225, enable it", "417309114225"),
        ("projectNumber: 417309114225", "417309114225"),
        ("arn:aws:bedrock:us-east-1:417309114225:model/x", "417309114225"),
        (json.dumps(json.dumps({"to": EMAIL}))[:-1], EMAIL),
        ("ann%2Elee%40mail.acme-works.org", EMAIL),
    ],
)
def test_ids_get_a_stand_in_of_their_length_and_alphabet(text: str, found: str) -> None:
    assert found in find_ids(text)
    stand_ins = StandIns()
    replaced = replace_ids(text, stand_ins.stand_in)
    made = stand_ins.known[found]
    assert len(replaced) == len(text)
    assert made in find_ids(replaced) and found not in find_ids(replaced)
    assert shape_of(made) == shape_of(found)
    assert replace_ids(replaced, shape_of) == replace_ids(text, shape_of)


@pytest.mark.parametrize(
    "text",
    [
        '{"user_location": {"type": "approximate"}}', "a user-friendly org_structure", "get_user_preferences",
        "projects/PROJECT/locations", "user_REDACTED", "person@example.com", "a@mail.example.org", "b@host.test",
        "accounts/fireworks/models/llama-v3p1", "the project is 12 days late", '{"account_id": {"type": "string"}}',
        '{"request": "book flight 12345678"}', "messages from 2024-01-01",
    ],
)  # fmt: skip
def test_words_and_nobody_s_addresses_stay(text: str) -> None:
    assert find_ids(text) == ()


def test_deltas_of_a_response_belong_together_and_messages_of_a_request_do_not() -> None:
    text = json.dumps([{"content": f"of {EMAIL}"}, {"content": "Hello"}, {"content": " ann@acm"}, {"content": "e.com"}])
    assert find_ids(text) == (EMAIL,)
    assert find_ids(text, is_response=True) == (f"{EMAIL}Hello", "ann@acme.com")


def test_a_number_stays_a_number() -> None:
    for count in range(50):
        stand_ins = StandIns({f"x{number}": "" for number in range(count)})
        assert json.loads(replace_ids('{"project_number": 417309114225}', stand_ins.stand_in))


def test_two_ids_never_get_the_same_stand_in() -> None:
    stand_ins = StandIns(taken={"11111111"})
    made = [stand_ins.stand_in(f"{10_000_000 + number}") for number in range(300)]
    assert len({*made, "11111111"}) == 301


def test_a_stand_in_is_the_same_again_and_stays_itself() -> None:
    stand_ins = StandIns()
    made = stand_ins.stand_in(PROJECT)
    assert stand_ins.stand_in(PROJECT) == made == stand_ins.stand_in(made)


def test_ids_are_the_same_where_each_stands_for_one_throughout() -> None:
    pairs = IdPairs()
    assert pairs.accept(("ann", "eve"), ("x", "y"))
    assert pairs.accept(("ann", "x"), ("x", "x"))
    assert not pairs.accept(("ann",), ("y",))
    assert not pairs.accept(("bob",), ("x",))
    assert not pairs.accept(("ann",), ("x", "y"))
    assert pairs.accept(("bob",), ("z",))


def test_what_was_refused_is_not_learned() -> None:
    pairs = IdPairs()
    assert not pairs.accept(("ann", "eve"), ("x", "x"))
    assert pairs.accept(("eve",), ("x",))


def test_a_recorded_text_gets_the_client_s_ids_back() -> None:
    recorded = StandIns().replace_in(f"for {EMAIL} of projects/{PROJECT}")
    pairs = IdPairs()
    assert pairs.restore_in(recorded) == recorded
    assert pairs.accept((EMAIL,), (recorded.split()[1],))
    assert pairs.restore_in(recorded).startswith(f"for {EMAIL} of projects/")
    assert pairs.restore_in(recorded).split("/")[1] == recorded.split("/")[1]
