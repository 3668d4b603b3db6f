"""A Gemini call as a tool call, with its id, its number in a stream, and the signature beside it or in the id."""

from collections.abc import Callable

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.read import text
from bridgecheck_reference.convert.signatures import PLACEHOLDER
from bridgecheck_reference.convert.signed_ids import signed_id
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile


class CallWriter:
    """Writes the calls of one candidate or one turn; ``call_count``: how many so far.

    ``call_id(name, given)`` gives each call its id. ``indexed``: number the calls, for a stream. ``named``: function
    name upstream -> function name here.
    """

    __slots__ = (
        "_carries", "_in_id", "_signs", "call_count", "call_id", "indexed", "losses", "named", "path", "profile",
    )  # fmt: skip

    def __init__(
        self,
        profile: Profile,
        losses: Losses,
        path: str,
        call_id: Callable[[str, str], str],
        *,
        indexed: bool = False,
        named: Rename = None,
    ) -> None:
        self.profile = profile
        self.losses = losses
        self.path = path
        self.call_id = call_id
        self.indexed = indexed
        self.named = named
        self.call_count = 0
        self._carries = profile.carries_gemini
        self._in_id = indexed and not self._carries and profile.signature_carrier == "id"
        self._signs = profile.signatures == "carry" and not self._carries and not self._in_id

    def _spoken(self, name: str, given: str, signature: str, arguments: str) -> JsonObject:
        """The tool call, with its number if this is a stream."""
        number = self.call_count
        self.call_count = number + 1
        name = self.named(name) if self.named else name
        id = self.call_id(name, given)
        function = {"name": name, "arguments": arguments}
        spoken: JsonObject
        if self.indexed:
            spoken = {"index": number, "id": id, "type": "function", "function": function}
        else:
            spoken = {"id": id, "type": "function", "function": function}
        if signature and self._signs and signature != PLACEHOLDER:
            spoken["extra_content"] = {"google": {"thought_signature": signature}}
        elif signature or self._carries:
            google = self._beside_call(given, signature)
            if self._in_id and google:
                self._sign_id(spoken, google)
            if google:
                spoken["extra_content"] = {"google": google}
        return spoken

    def _beside_call(self, given: str, signature: str) -> JsonObject:
        """What stands beside a call: its signature, and whether its id is ours."""
        google: JsonObject = {}
        if signature and (self._carries or self._may_carry(signature)):
            google["thought_signature"] = signature
        if self._carries and not given:
            google["synthetic_id"] = True
        return google

    def _sign_id(self, spoken: JsonObject, google: JsonObject) -> None:
        """Moves the signature into the id, where it fits."""
        signed = signed_id(text(spoken["id"]), text(google.get("thought_signature")))
        if signed is not None:
            spoken["id"] = signed
            google.clear()

    def _may_carry(self, signature: str) -> bool:
        if self.profile.signatures == "carry" and signature != PLACEHOLDER:
            return True
        self.losses.add(f"{self.path}.thoughtSignature", "not carried", "info")
        return False
