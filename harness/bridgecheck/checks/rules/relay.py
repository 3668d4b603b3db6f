"""Rules of whole conversations and of the adapter as a server between two ends."""

from typing import Final

from bridgecheck.checks.bases import (
    BREAKS,
    CANCELLED,
    CHAT,
    CHUNK,
    MESSAGES,
    OWN,
    PAIR,
    READ,
    RECORDED,
    RETRIED,
    SIGNED,
    THINKING,
)
from bridgecheck.checks.rules.rule import Rule
from bridgecheck.model.scenario import Basis

RELAY_RULES: Final[tuple[Rule, ...]] = (
    Rule("adapter.answers", "adapter.completes", "MUST", "It neither raises nor hangs nor answers nonsense.", BREAKS),
    Rule(
        "adapter.refuses",
        "adapter.completes",
        "MUST",
        "It refuses only what it may, and names the field.",
        Basis("documented", "https://docs.litellm.ai/docs/completion/drop_params", READ),
    ),
    Rule(
        "calls.expected", "relay.expected_calls", "MUST", "It asks for what is recorded, and for all of it.", RECORDED
    ),
    Rule("calls.one", "relay.one_call", "MUST", "What the client has begun to read is not asked for again.", RETRIED),
    Rule(
        "calls.cancel", "relay.cancel", "SHOULD", "Where the client goes away, the provider is hung up on.", CANCELLED
    ),
    Rule("turns.go_on", "relay.next_turn", "MUST", "An answer holds what the next request sends back.", BREAKS),
    Rule("ids.unique", "relay.ids", "MUST", "Ids of calls are unique in the whole history.", CHAT),
    Rule("ids.paired", "relay.ids", "MUST", "A result carries the id of its call.", CHAT),
    Rule("ids.back", "relay.ids", "MUST", "An id that the provider issued comes back to it.", MESSAGES),
    Rule("signatures.back", "relay.signatures", "MUST", "A signature comes back unchanged.", SIGNED),
    Rule("signatures.place", "relay.signatures", "MUST", "It stands on the very part that carried it.", SIGNED),
    Rule("thinking.back", "relay.thinking", "MUST", "Thinking that led to calls comes back whole, in order.", THINKING),
    Rule("thinking.before", "relay.thinking", "SHOULD", "Thinking of answers before that comes back too.", THINKING),
    Rule("scenario.answer", "expect.outcome", "MUST", "The answer is what the scenario says.", OWN),
    Rule("scenario.request", "expect.prompt", "MUST", "The request is what the scenario says.", OWN),
    Rule("scenario.literal", "expect.wire", "MUST", "Documents hold literally what the scenario says.", OWN),
    Rule("judge.sdk", "sdk.agrees", "MUST", "The official SDK reads an answer as the judge does.", BREAKS),
    Rule(
        "flag.same",
        "sdk.native_equals_bridged",
        "MUST",
        "With the flag on the client learns what it learns with the flag off.",
        BREAKS,
    ),
    Rule("law.fold", "law.fold", "MUST", "A stream says what the document folded from it says.", CHUNK),
    Rule("law.square", "law.fold_square", "MUST", "Converting and folding may change places.", CHUNK),
    Rule("law.there_and_back", "law.request_roundtrip", "MUST", "There and back, a request asks for the same.", PAIR),
)
