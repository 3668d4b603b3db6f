"""A Gemini function call -> an OpenAI tool call, with its id, its number in a stream, and the signature beside it or in
the id.

Arguments may be streamed in pieces: functionCall.partialArgs with a JSON path each, until willContinue ends (mapping
row R-27). A string may come in several pieces (its own willContinue); every other value comes whole. Paths are of the
form ``$.name.inner[0]`` or ``$['name']``; any other path is refused. Vertex AI alone sends them.
Sources: PartialArg of google-genai 3.4.0 (read 2026-11-21) and recorded streams.
"""

from collections.abc import Callable
from copy import deepcopy
from typing import TypeAlias

from bridgecheck.wire import JsonObject
from bridgecheck_reference.conversion_profile import Profile
from bridgecheck_reference.convert.json_values import camel, obj, objs, text
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import PLACEHOLDER, embed_signature_in_id
from bridgecheck_reference.errors import ConversionError
from bridgecheck_reference.loss import Losses

PathStep: TypeAlias = str | int

_LONGEST_LIST = 10_000
"""A path may not make a list longer than this: one stray index would fill the memory."""


class PartialCall:
    """One call while its arguments arrive. Pieces of a string are kept in a list and joined once."""

    __slots__ = ("_pieces", "args", "id", "name", "signature")

    def __init__(self, name: str, id: str, signature: str) -> None:
        self.name = name
        self.id = id
        self.signature = signature
        self.args: JsonObject = {}
        self._pieces: dict[str, list[str]] = {}

    def feed(self, call: JsonObject) -> None:
        """Take in one more functionCall part of the same call."""
        self.args.update(deepcopy(obj(call.get("args"))))
        for raw in objs(call.get("partialArgs")):
            piece = camel(raw)
            path = text(piece.get("jsonPath"))
            if "stringValue" in piece:
                self._pieces.setdefault(path, []).append(text(piece["stringValue"]))
            elif "numberValue" in piece or "boolValue" in piece:
                _replace_value_at_path(
                    self.args, _parse_json_path(path), piece.get("numberValue", piece.get("boolValue"))
                )
            elif "nullValue" in piece:
                _replace_value_at_path(self.args, _parse_json_path(path), None)

    def build_arguments(self) -> JsonObject:
        """Return the whole arguments."""
        for path, pieces in self._pieces.items():
            _replace_value_at_path(self.args, _parse_json_path(path), "".join(pieces))
        self._pieces.clear()
        return self.args


def _parse_json_path(path: str) -> list[PathStep]:
    """Return the steps of a path: ``$.a.b[0]`` -> ["a", "b", 0]."""
    if not path.startswith("$"):
        raise ConversionError(
            f"functionCall.partialArgs: unsupported path {path!r}", "functionCall.partialArgs.jsonPath"
        )
    steps: list[PathStep] = []
    rest = path[1:]
    while rest:
        if rest[0] == ".":
            end = min((at for at in (rest.find(".", 1), rest.find("[", 1)) if at > 0), default=len(rest))
            steps.append(rest[1:end])
            rest = rest[end:]
        elif rest[0] == "[" and "]" in rest:
            inner, _, rest = rest[1:].partition("]")
            steps.append(int(inner) if inner.isdecimal() else inner.strip("'\""))
        else:
            steps.clear()
            break
    if not steps or "" in steps:
        raise ConversionError(
            f"functionCall.partialArgs: unsupported path {path!r}", "functionCall.partialArgs.jsonPath"
        )
    return steps


def _replace_value_at_path(target: JsonObject, steps: list[PathStep], value: object) -> None:
    """Set a value deep inside, making objects and lists on the way."""
    holder: object = target
    for position, step in enumerate(steps):
        last = position == len(steps) - 1
        new: object = value if last else ([] if isinstance(steps[position + 1], int) else {})
        holder = _get_or_set_item(holder, step, new, replace=last)


def _get_or_set_item(holder: object, step: PathStep, new: object, *, replace: bool) -> object:
    if isinstance(holder, dict):
        if replace or step not in holder:
            holder[step] = new
        return holder[step]
    if isinstance(holder, list) and isinstance(step, int) and step < _LONGEST_LIST:
        holder.extend(None for _ in range(step + 1 - len(holder)))
        if replace or holder[step] is None:
            holder[step] = new
        return holder[step]
    raise ConversionError(
        f"functionCall.partialArgs: {step!r} does not fit what came before", "functionCall.partialArgs"
    )


class ToolCallWriter:
    """Writes the calls of one candidate or one turn; ``call_count``: how many so far.

    ``call_id(name, provider_id)`` gives each call its id. ``indexed``: number the calls, for a stream. ``named``:
    function name upstream -> function name here.
    """

    __slots__ = (
        "_carries", "_signs_beside", "_signs_in_id", "call_count", "call_id", "indexed", "losses", "named", "path",
        "profile",
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
        self._signs_in_id = indexed and not self._carries and profile.signature_carrier == "id"
        self._signs_beside = profile.signatures == "carry" and not self._carries and not self._signs_in_id

    def _create_tool_call(self, name: str, provider_id: str, signature: str, arguments: str) -> JsonObject:
        """Return the tool call, with its number if this is a stream."""
        number = self.call_count
        self.call_count = number + 1
        name = self.named(name) if self.named else name
        id = self.call_id(name, provider_id)
        function = {"name": name, "arguments": arguments}
        tool_call: JsonObject
        if self.indexed:
            tool_call = {"index": number, "id": id, "type": "function", "function": function}
        else:
            tool_call = {"id": id, "type": "function", "function": function}
        if signature and self._signs_beside and signature != PLACEHOLDER:
            tool_call["extra_content"] = {"google": {"thought_signature": signature}}
        elif signature or self._carries:
            google = self._signature_and_synthetic_id_mark(provider_id, signature)
            if self._signs_in_id and google:
                self._move_signature_into_id(tool_call, google)
            if google:
                tool_call["extra_content"] = {"google": google}
        return tool_call

    def _signature_and_synthetic_id_mark(self, provider_id: str, signature: str) -> JsonObject:
        """Return what stands beside a call: its signature, and whether its id is ours."""
        google: JsonObject = {}
        if signature and (self._carries or self._may_carry_signature_or_record(signature)):
            google["thought_signature"] = signature
        if self._carries and not provider_id:
            google["synthetic_id"] = True
        return google

    def _move_signature_into_id(self, tool_call: JsonObject, google: JsonObject) -> None:
        """Move the signature into the id, where it fits."""
        signed = embed_signature_in_id(text(tool_call["id"]), text(google.get("thought_signature")))
        if signed is not None:
            tool_call["id"] = signed
            google.clear()

    def _may_carry_signature_or_record(self, signature: str) -> bool:
        if self.profile.signatures == "carry" and signature != PLACEHOLDER:
            return True
        self.losses.add(f"{self.path}.thoughtSignature", "not carried", "info")
        return False
