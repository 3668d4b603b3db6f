"""One tool step of an OpenAI history: the calls of an assistant turn, and the results that answer them."""

from bridgecheck.wire import JsonObject
from bridgecheck_reference.convert.read import obj, text
from bridgecheck_reference.convert.waiting import ID, NAME, Index


class ToolStep:
    """The calls of one assistant turn, as ids and parts, and their results, as parts by the place of the call.

    ``files``: media of the results, by the same place; they follow all results. ``index``: there once a result came out
    of order.
    """

    __slots__ = ("calls", "files", "ids", "index", "results")

    def __init__(self, ids: list[str], calls: list[JsonObject]) -> None:
        self.ids = ids
        self.calls = calls
        self.results: dict[int, JsonObject] = {}
        self.files: dict[int, list[JsonObject]] = {}
        self.index: Index | None = None

    def place(self, message: JsonObject) -> int | None:
        """Which call a result answers: by id, else the first open one of that name. The next one in order mostly."""
        id, expected = message.get("tool_call_id"), len(self.results)
        if id and self.index is None and expected < len(self.ids) and self.ids[expected] == id:
            return expected
        self.index = self.index or Index()
        for number in range(self.index.size, len(self.calls)):
            self.index.add(self.ids[number], text(obj(self.calls[number]["functionCall"])["name"]))
        kind, wanted = (ID, text(id)) if text(id) else (NAME, text(message.get("name")))
        return self.index.find(kind, wanted, self.results) if wanted else None

    def in_order(self) -> list[JsonObject] | None:
        """The results, if every call has one and they came in order."""
        return [*self.results.values()] if self.index is None and len(self.results) == len(self.calls) else None
