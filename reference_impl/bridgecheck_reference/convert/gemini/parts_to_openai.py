"""Gemini parts of the model -> the fields of an OpenAI message or delta. The same code reads history, responses and
streams.

Thoughts never reach ``content``. Adjacent texts join with nothing. A call is passed on whole: pieces (partialArgs,
willContinue) are gathered, and a call without arguments is held for one event, because some hosts send its arguments
in a second, nameless part.
"""

from collections.abc import Callable
from typing import Final

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import signatures
from bridgecheck_reference.convert.arguments import write_arguments
from bridgecheck_reference.convert.gemini.calls_to_openai import CallWriter, PartialCall
from bridgecheck_reference.convert.gemini.media import file_to_content, inline_to_content
from bridgecheck_reference.convert.gemini.part_order import Gathered, recall, sign_last
from bridgecheck_reference.convert.json_values import camel, compact, dumps, text
from bridgecheck_reference.convert.legacy_requests import spoken
from bridgecheck_reference.convert.media import standard_base64
from bridgecheck_reference.convert.names import Rename
from bridgecheck_reference.convert.signatures import PLACEHOLDER
from bridgecheck_reference.loss import Losses
from bridgecheck_reference.profile import Profile


def plain_text(part: object) -> str | None:
    """The text of a part that is nothing but text; None for any other."""
    if isinstance(part, dict) and len(part) == 1:
        words = part.get("text")
        return words if isinstance(words, str) else None
    return None


def plain_message(part: JsonObject) -> JsonObject | None:
    """The message of a part that is nothing but text or a thought; None for any other."""
    words = part.get("text")
    if type(words) is not str:
        return None
    if len(part) == 1:
        return {"content": words} if words else {}
    if len(part) == 2 and part.get("thought") is True:
        return {"reasoning_content": words} if words else {}
    return None


def code_text(part: JsonObject) -> str:
    """A code part as the text a reader would see."""
    if "executableCode" in part:
        code = camel(part["executableCode"])
        language = text(code.get("language")).lower()
        language = "python" if language in ("", "language_unspecified") else language
        return f"```{language}\n{text(code.get('code'))}\n```"
    result = camel(part["codeExecutionResult"])
    return f"[code_execution_result]\noutcome: {text(result.get('outcome'))}\noutput:\n{text(result.get('output'))}"


_TEXT_KEYS: Final[frozenset[str]] = frozenset({"text", "thought", "thoughtSignature"})
_PLAIN_CALL: Final[frozenset[str]] = frozenset({"name", "args", "id"})
_KNOWN: Final[frozenset[str]] = _TEXT_KEYS | {"functionCall", "inlineData", "executableCode", "codeExecutionResult"}


class PartReader(CallWriter):
    """Reads the parts of one candidate or one turn, in as many ``read`` calls as they come in, then ``flush``.

    ``code_as_text``: show code parts as fenced text (history); otherwise they are a loss. Further arguments as in
    ``CallWriter``.
    """

    __slots__ = ("_held", "_open", "_orders", "_short", "_write", "code_as_text")

    def __init__(
        self,
        profile: Profile,
        losses: Losses,
        path: str,
        call_id: Callable[[str, str], str],
        *,
        indexed: bool = False,
        code_as_text: bool = False,
        named: Rename = None,
    ) -> None:
        super().__init__(profile, losses, path, call_id, indexed=indexed, named=named)
        self.code_as_text = code_as_text
        self._orders = profile.extended
        self._short = not self._carries and not self._orders
        self._write = dumps if profile.arguments == "spaced" else compact
        self._open: PartialCall | None = None
        self._held: PartialCall | None = None

    @property
    def unfinished(self) -> bool:
        """Whether a call was begun and never ended."""
        return self._open is not None

    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:
        """What these parts come to: content, reasoning_content, tool_calls, images, extra_content; {} for nothing.

        ``last``: no further parts will come, so nothing is held back. One part that is nothing but text or a whole
        call, as most events have, takes the short way.
        """
        if len(parts) == 1 and self._held is None:
            part = parts[0]
            if type(part) is dict:
                if "functionCall" not in part:
                    short = plain_message(part)
                    if short is not None:
                        return short
                elif self._short:
                    spoken = self._plain_call(part)
                    if spoken is not None:
                        return {"tool_calls": [spoken]}
        return self._read_all(parts, last)

    def _plain_call(self, part: JsonObject) -> JsonObject | None:
        """The tool call for a part that is one whole call with arguments; None for any other, with nothing done."""
        call = part["functionCall"]
        if type(call) is not dict:
            return None
        name, args = call.get("name"), call.get("args")
        if not name or not args or type(name) is not str or type(args) is not dict:
            return None
        id: object = ""
        signature: object = ""
        if len(call) != 2:
            id = call.get("id") if len(call) == 3 else None
        if len(part) != 1:
            signature = part.get("thoughtSignature") if len(part) == 2 else None
        if type(id) is not str or type(signature) is not str:
            return None
        return self._spoken(name, id, signature, self._write(args))

    def _read_all(self, parts: list[object], last: bool) -> JsonObject:
        said = Gathered()
        for part in parts:
            if not isinstance(part, dict):
                self.losses.add(self.path, "a part that is no object")
            elif not (self._short and self._held is None and self._plain_part(part, said)):
                self._part(part if _KNOWN.issuperset(part) else camel(part), said)
        if last:
            self._release(said)
        return said.message(self._carries, self._orders)

    def _plain_part(self, part: JsonObject, said: Gathered) -> bool:
        """Reads a part that is nothing but text or one whole call; False for any other, with nothing done."""
        words = part.get("text")
        if type(words) is str and len(part) == 1:
            said.content.append(words)
            return True
        spoken = self._plain_call(part) if "functionCall" in part else None
        if spoken is None:
            return False
        said.calls.append(spoken)
        return True

    def flush(self) -> JsonObject:
        """The call that is still held, if any; an open one is dropped."""
        said = Gathered()
        self._release(said)
        return said.message(self._carries, self._orders)

    def _part(self, part: JsonObject, said: Gathered) -> None:
        if "functionCall" in part:
            self._call(camel(part["functionCall"]), text(part.get("thoughtSignature")), said)
            return
        if self._held is not None:
            self._release(said)
        if "text" in part or part.keys() == {"thoughtSignature"}:
            self._text(part, said)
        elif "inlineData" in part:
            self._media(part, said)
        elif "fileData" in part and not self._carries:
            self._file(part, said)
        elif self.code_as_text and ("executableCode" in part or "codeExecutionResult" in part):
            self._code(part, said)
        else:
            self._unsaid(part, said)

    def _text(self, part: JsonObject, said: Gathered) -> None:
        words = text(part.get("text"))
        kind = "thought" if part.get("thought") else "text"
        (said.reasoning if kind == "thought" else said.content).append(words)
        if self._orders:
            self._place(kind, words, text(part.get("thoughtSignature")), said)
        if len(part) == 1 and "text" in part and not self._carries:
            return
        signature = text(part.get("thoughtSignature"))
        if signature and not self._carries and not self._orders:
            self._sign(
                signature, "tail" if kind == "text" and not words else {"thought": "reasoning"}.get(kind, "text"), said
            )
        if self._carries:
            rest = {key: value for key, value in part.items() if key not in ("text", "thought")}
            said.layout.append({kind: len(words), "rest": rest} if rest else {kind: len(words)})
        elif not _TEXT_KEYS.issuperset(part):
            self.losses.add(f"{self.path}.{min(part.keys() - _TEXT_KEYS)}", "no place beside text", "info")

    def _place(self, kind: str, words: str, signature: str, said: Gathered) -> None:
        """Keeps the place of a text, and of its signature."""
        if kind == "thought":
            said.layout.append({"reasoning": {"type": "reasoning.text", "text": words}})
            self._sign_ahead(signature, "thought", said)
            return
        self._sign_ahead(signature, "text" if words else "tail", said)
        if words:
            said.layout.append({"text": len(words)})

    def _sign_ahead(self, signature: str, part: str, said: Gathered) -> None:
        """The signature of a part as that of the reasoning before it; or the reasoning that it carries instead."""
        blocks = signatures.carried(signature) if signature else None
        if blocks is not None:
            recall(said.layout, blocks)
        elif signature and self._may_carry(signature):
            sign_last(said.layout, signatures.of_gemini(signature, part))

    def _sign(self, signature: str, where: str, said: Gathered) -> None:
        if self.profile.signatures == "drop" or signature == PLACEHOLDER:
            self.losses.add(f"{self.path}.thoughtSignature", "not carried", "info")
        elif said.signature:
            self.losses.add(
                f"{self.path}.thoughtSignature", "a message carries one signature beside those of its calls"
            )
        else:
            said.signature, said.signed = signature, where

    def _call(self, call: JsonObject, signature: str, said: Gathered) -> None:
        name = text(call.get("name"))
        if not name:
            self._continue(call, signature, said)
            return
        if self._held is not None:
            self._release(said)
        id = text(call.get("id"))
        args = call.get("args")
        if not _PLAIN_CALL.issuperset(call) and (call.get("willContinue") or call.get("partialArgs")):
            self._begin(PartialCall(name, id, signature), call, said)
        elif not args:
            self._held = PartialCall(name, id, signature)
        elif isinstance(args, dict):
            self._say(name, id, signature, self._write(args), said)
        else:
            self._say(name, id, signature, self._written(args), said)

    def _written(self, args: object) -> str:
        """Arguments that are no object as JSON text; a loss where they are not the text of one either."""
        written = write_arguments(args)
        if written is not None:
            return written
        self.losses.add(f"{self.path}.functionCall.args", "arguments that are no object")
        return dumps(args)

    def _begin(self, started: PartialCall, call: JsonObject, said: Gathered) -> None:
        started.feed(call)
        self._open = started
        if not call.get("willContinue"):
            self._finish_open(said)

    def _continue(self, call: JsonObject, signature: str, said: Gathered) -> None:
        """A part without a name: more of the open call, or the arguments of the held one."""
        if self._open is not None:
            self._open.feed(call)
            self._open.signature = self._open.signature or signature
            if not call.get("willContinue"):
                self._finish_open(said)
        elif self._held is not None:
            self._held.feed(call)
            self._held.signature = self._held.signature or signature
            if self._held.args:
                self._release(said)
        elif call:
            self.losses.add(f"{self.path}.functionCall", "a call without a name")

    def _finish_open(self, said: Gathered) -> None:
        if self._open is not None:
            done, self._open = self._open, None
            self._say(done.name, done.id, done.signature, self._write(done.close()), said)

    def _release(self, said: Gathered) -> None:
        if self._held is not None:
            done, self._held = self._held, None
            self._say(done.name, done.id, done.signature, self._write(done.close()), said)

    def _say(self, name: str, given: str, signature: str, arguments: str, said: Gathered) -> None:
        if self._orders:
            self._sign_ahead(signature, "call", said)
            signature = ""
        said.calls.append(self._spoken(name, given, signature, arguments))
        if self._carries or self._orders:
            said.layout.append({"call": True})

    def _media(self, part: JsonObject, said: Gathered) -> None:
        blob = camel(part["inlineData"])
        mime, name = text(blob.get("mimeType")).lower(), text(blob.get("displayName"))
        content = None
        if mime.startswith("audio/"):
            self._sound(part, said)
            return
        if mime.startswith("image/") and not part.get("thought"):
            content = inline_to_content(part["inlineData"], self.path, self.losses)
        if content is None:
            self._unsaid(part, said)
            return
        self._show(content, {key: value for key, value in part.items() if key != "inlineData"}, name, said)

    def _file(self, part: JsonObject, said: Gathered) -> None:
        """A file by its address: an image that a client can fetch is shown by it."""
        content = file_to_content(part["fileData"], f"{self.path}.fileData", self.losses)
        if content["type"] == "image_url" and not part.get("thought"):
            self._show(content, {key: value for key, value in part.items() if key != "fileData"}, "", said)

    def _show(self, content: JsonObject, rest: JsonObject, name: str, said: Gathered) -> None:
        """An image beside the text, with what else its part says (``rest``) and its display name."""
        said.images.append({"index": len(said.images), **content} if self.indexed else content)
        if self._orders:
            self._sign_ahead(text(rest.pop("thoughtSignature", "")), "image", said)
        placed: JsonObject = {"image": True}
        said.layout.append(placed | ({"rest": rest} if rest else {}) | ({"name": name} if name else {}))
        if rest and not self._carries:
            self.losses.add(f"{self.path}.{min(rest)}", "no place beside an image")
        if name and not self._carries:
            self.losses.add(f"{self.path}.inlineData.displayName", "no place beside an image", "info")

    def _sound(self, part: JsonObject, said: Gathered) -> None:
        """Spoken output. OpenAI does not say its type: that is what the request asked for. A carried one stands in the
        layout, and beside it for whoever reads the message as it is."""
        data = standard_base64(text(camel(part["inlineData"]).get("data")))
        self.losses.add(f"{self.path}.inlineData.mimeType", "the type of spoken output is not said", "info")
        if said.audio or not data:
            self.losses.add(f"{self.path}.inlineData", "a message speaks once")
            return
        said.audio = {"id": self.call_id("audio", ""), "data": data, "expires_at": 0, "transcript": ""}
        if self._carries:
            said.audio["extra_content"] = {"google": {"carried": True}}
            said.layout.append({"part": part})

    def _code(self, part: JsonObject, said: Gathered) -> None:
        if self._carries:
            said.layout.append({"part": part})
            return
        self.losses.add(self.path, "code shown as text", "info")
        words = code_text(part)
        said.content.append(words)
        said.layout.append({"text": len(words)})

    def _unsaid(self, part: JsonObject, said: Gathered) -> None:
        kinds = sorted(part.keys() - {"thought", "thoughtSignature"})
        if self._carries:
            said.layout.append({"part": part})
        elif kinds:
            self.losses.add(f"{self.path}.{kinds[0]}", "Chat Completions has no such part")


class InlineReader(PartReader):
    """Reads a thought as the text that it is."""

    __slots__ = ()

    def read(self, parts: list[object], *, last: bool = False) -> JsonObject:
        return super().read([spoken(part) for part in parts], last=last)
