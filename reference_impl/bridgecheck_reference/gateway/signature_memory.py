"""Signatures of Gemini's that clients drop: remembered when a response passes, given back to the next request.

A client that returns only id, name and arguments of a call loses its signature, which Gemini 3 demands. The converters
remember nothing; this stands before and behind them, on the client's documents, and writes a signature to where a
client that drops nothing returns it: ``extra_content.google`` of a Chat call, a thinking block in front of Anthropic's.

A call is known by the client's key, the model, and its id, name and arguments: an id is only as unique as the upstream
makes it. Where two signatures were given for the same call, neither is given back. What is not known (evicted,
ambiguous, of another process or model) gets no signature here, and the converter writes the placeholder.
"""

import json
from collections import OrderedDict
from hashlib import sha256
from typing import Final, TypeAlias

from bridgecheck.wire import Dialect, JsonObject
from bridgecheck_reference.convert.json_values import arr, google_extra, obj, objs, text
from bridgecheck_reference.convert.signatures import (
    PLACEHOLDER,
    prefix_gemini_signature,
    split_gemini_signature_prefix,
)

_Key: TypeAlias = bytes
_AMBIGUOUS: Final = ""
_CALL: Final = "call"
_BYTES_OF_ENTRY: Final = 200
"""What an entry takes beside its signature, about."""


class SignatureMemory:
    """The newest signatures, up to so many bytes together."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._signatures: OrderedDict[_Key, str] = OrderedDict()

    def signatures_of(self, client_key: str, model: str) -> "ScopedSignatures":
        """Return the part of one client's key and one model."""
        return ScopedSignatures(self, json.dumps([client_key, model]))

    def keep(self, key: _Key, signature: str) -> None:
        """Keep a signature; of a call that had another one before, that it is ambiguous."""
        before = self._signatures.pop(key, None)
        if before is not None:
            self._bytes -= len(before) + _BYTES_OF_ENTRY
        stored = signature if before in (None, signature) else _AMBIGUOUS
        self._signatures[key] = stored
        self._bytes += len(stored) + _BYTES_OF_ENTRY
        while self._bytes > self._most_bytes:
            _, dropped = self._signatures.popitem(last=False)
            self._bytes -= len(dropped) + _BYTES_OF_ENTRY

    def find(self, key: _Key) -> str:
        """Return the signature, "" where none is known; one that is in use stays longer."""
        if key in self._signatures:
            self._signatures.move_to_end(key)
        return self._signatures.get(key, "")


class ScopedSignatures:
    """The signatures of one client's key and one model. ``restore`` a request, ``reader`` for each response."""

    __slots__ = ("_memory", "_scope")

    def __init__(self, memory: SignatureMemory, scope: str) -> None:
        self._memory = memory
        self._scope = scope

    def keep(self, id: str, name: str, arguments: object, signature: str) -> None:
        if id and signature and signature != PLACEHOLDER:
            self._memory.keep(self._key(id, name, arguments), signature)

    def find(self, id: str, name: str, arguments: object) -> str:
        return self._memory.find(self._key(id, name, arguments)) if id else ""

    def restore(self, client: Dialect, request: JsonObject) -> JsonObject:
        """Return a request whose calls have the signatures that the client dropped; the same one if there are none."""
        restore_message = _RESTORE_MESSAGE.get(client)
        messages = request.get("messages")
        if restore_message is None or not isinstance(messages, list):
            return request
        restored = [
            restore_message(message, self)
            if isinstance(message, dict) and message.get("role") == "assistant"
            else message
            for message in messages
        ]
        changed = any(new is not old for new, old in zip(restored, messages, strict=True))
        return {**request, "messages": restored} if changed else request

    def reader(self, client: Dialect) -> "ResponseReader":
        return ResponseReader(client, self)

    def _key(self, id: str, name: str, arguments: object) -> _Key:
        call = json.dumps([self._scope, id, name, _canonical_arguments(arguments)])
        return sha256(call.encode()).digest()


def _canonical_arguments(arguments: object) -> str:
    """Return arguments as values, because clients write their JSON anew; as they are where they cannot be read."""
    try:
        value: object = json.loads(arguments or "{}") if isinstance(arguments, str) else arguments
        return json.dumps(value, sort_keys=True)
    except (ValueError, RecursionError):
        return text(arguments)


def _restore_chat_message(message: JsonObject, signatures: ScopedSignatures) -> JsonObject:
    calls = arr(message.get("tool_calls"))
    restored = [_restore_chat_call(call, signatures) if isinstance(call, dict) else call for call in calls]
    changed = any(new is not old for new, old in zip(restored, calls, strict=True))
    return {**message, "tool_calls": restored} if changed else message


def _restore_chat_call(call: JsonObject, signatures: ScopedSignatures) -> JsonObject:
    google = google_extra(call)
    if google.get("thought_signature"):
        return call
    function = obj(call.get("function"))
    signature = signatures.find(text(call.get("id")), text(function.get("name")), function.get("arguments"))
    if not signature:
        return call
    extra = {**obj(call.get("extra_content")), "google": {**google, "thought_signature": signature}}
    return {**call, "extra_content": extra}


def _restore_anthropic_message(message: JsonObject, signatures: ScopedSignatures) -> JsonObject:
    content = arr(message.get("content"))
    restored: list[object] = []
    for position, block in enumerate(content):
        call = obj(block)
        if call.get("type") == "tool_use" and not _is_signed_call(content[:position]):
            signature = signatures.find(text(call.get("id")), text(call.get("name")), call.get("input"))
            if signature:
                signature = prefix_gemini_signature(signature, _CALL)
                restored.append({"type": "thinking", "thinking": "", "signature": signature})
        restored.append(block)
    return {**message, "content": restored} if len(restored) > len(content) else message


def _is_signed_call(before: list[object]) -> bool:
    """Return whether the block before a call signs it."""
    return bool(before) and _call_signature(obj(before[-1])) != ""


def _call_signature(block: JsonObject) -> str:
    """Return Gemini's signature of a call that a thinking block or its delta holds, "" for anything else."""
    found = split_gemini_signature_prefix(text(block.get("signature")))
    return found.signature if found is not None and found.part_kind == _CALL else ""


_RESTORE_MESSAGE: Final = {"openai-chat": _restore_chat_message, "anthropic": _restore_anthropic_message}


class ResponseReader:
    """Keeps the signatures of one response, from its document or from each event of its stream."""

    __slots__ = ("_block", "_client", "_pieces", "_signature", "_signatures")

    def __init__(self, client: Dialect, signatures: ScopedSignatures) -> None:
        self._client = client
        self._signatures = signatures
        self._signature = ""  # of the thinking block that was read last
        self._block: JsonObject = {}  # the call whose arguments arrive
        self._pieces: list[str] = []

    def read(self, document: JsonObject) -> None:
        """Read a whole response, or one event. Calls of Gemini's reach Chat clients whole."""
        if self._client == "openai-chat":
            for choice in objs(document.get("choices")):
                for call in objs(obj(choice.get("delta") or choice.get("message")).get("tool_calls")):
                    self._keep_chat_call(call)
        elif self._client == "anthropic":
            for block in objs(document.get("content")):
                self._begin_block(block)
                self._end_block()
            self._read_event(document)

    def _keep_chat_call(self, call: JsonObject) -> None:
        function = obj(call.get("function"))
        signature = text(google_extra(call).get("thought_signature"))
        self._signatures.keep(text(call.get("id")), text(function.get("name")), function.get("arguments"), signature)

    def _read_event(self, event: JsonObject) -> None:
        delta = obj(event.get("delta"))
        if event.get("type") == "content_block_start":
            self._begin_block(obj(event.get("content_block")))
        elif delta.get("type") == "signature_delta":
            self._signature = _call_signature(delta)
        elif delta.get("type") == "input_json_delta" and self._block:
            self._pieces.append(text(delta.get("partial_json")))
        elif event.get("type") == "content_block_stop":
            self._end_block()

    def _begin_block(self, block: JsonObject) -> None:
        if block.get("type") == "thinking":
            self._signature = _call_signature(block)
        elif block.get("type") == "tool_use" and self._signature:
            self._block = block
        else:
            self._signature = ""

    def _end_block(self) -> None:
        if not self._block:
            return
        arguments = "".join(self._pieces) or self._block.get("input")
        self._signatures.keep(text(self._block.get("id")), text(self._block.get("name")), arguments, self._signature)
        self._signature, self._block = "", {}
        self._pieces.clear()
