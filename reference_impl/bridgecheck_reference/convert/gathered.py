"""What one list of Gemini parts comes to, as the fields of an OpenAI message or delta."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert import layout
from bridgecheck_reference.convert.read import obj
from bridgecheck_reference.convert.recalled import ordered_fields


class Gathered:
    """Filled part by part, then read as ``message``. A plain class: one is made for every event.

    ``layout``: the order of the parts (convert/layout, convert/recalled). ``signature``: of the text or the reasoning;
    ``signed``: which of them, in the words of ``thought_signature_part``.
    """

    __slots__ = ("audio", "calls", "content", "images", "layout", "reasoning", "signature", "signed")

    def __init__(self) -> None:
        self.content: list[str] = []
        self.reasoning: list[str] = []
        self.calls: list[JsonObject] = []
        self.images: list[JsonObject] = []
        self.layout: list[JsonObject] = []
        self.audio: JsonObject | None = None
        self.signature = ""
        self.signed = ""

    def message(self, carries: bool, orders: bool) -> JsonObject:
        """The fields, {} for nothing. ``carries``: with the order of Gemini's parts; ``orders``: with the order that
        Gemini and Anthropic share."""
        message: JsonObject = ordered_fields(self.layout) if orders and self.layout else {}
        content = "".join(self.content)
        if content:
            message["content"] = content
        if self.reasoning and (reasoning := "".join(self.reasoning)):
            message["reasoning_content"] = reasoning
        if self.calls:
            message["tool_calls"] = self.calls
        if self.images:
            message["images"] = self.images
        if self.audio:
            message["audio"] = self.audio
        if self.signature or carries:
            google = self._beside(carries)
            if google:
                message["extra_content"] = {**obj(message.get("extra_content")), "google": google}
        return message

    def _beside(self, carries: bool) -> JsonObject:
        """What stands beside a message: the signature of its text or reasoning, and the order of its parts."""
        google: JsonObject = {}
        if self.signature:
            google["thought_signature"] = self.signature
            if self.signed != "text":
                google["thought_signature_part"] = self.signed
        if carries and layout.needed(self.layout):
            google["parts"] = self.layout
        return google
