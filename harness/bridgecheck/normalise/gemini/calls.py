"""Function calls whose arguments Gemini streams piece by piece, made one part each.

A call opens with its name and ``willContinue``; parts without a name carry ``partialArgs`` (a JSON path and a value,
where strings may go on), and a part that says no more ``willContinue`` closes it, often an empty ``functionCall``.
Some proxies leave ``willContinue`` out and give whole ``args`` in the part without a name: these belong to the call
before it, which had none (https://github.com/smallmain/vscode-unify-chat-provider/pull/49).
Source: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

from bridgecheck.model.jsonvalue import obj, objs, text
from bridgecheck.normalise.tree import deep_copy
from bridgecheck.wire import JsonObject

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]")
_MAX_INDEX: Final = 100_000
_VALUES: Final = ("stringValue", "numberValue", "boolValue")
_OWN: Final = frozenset({"partialArgs", "willContinue", "args"})


def joined(parts: Iterable[object]) -> list[object]:
    """The parts with every streamed call put together; all other parts as they are."""
    made: list[object] = []
    opened: JsonObject | None = None
    for part in parts:
        if not isinstance(obj(part).get("functionCall"), dict):
            made.append(part)
            continue
        call = obj(obj(part)["functionCall"])
        if opened is None and call.get("args") and not call.get("name"):
            opened = _reopened(made)
        if opened is not None and not call.get("name"):
            _add(opened, obj(part), call)
        else:
            opened = _opened(obj(part), call) if call.get("willContinue") or call.get("partialArgs") else None
            made.append(part if opened is None else opened)
        if call.get("willContinue") is not True:
            opened = None
    return made


def _opened(part: JsonObject, call: JsonObject) -> JsonObject:
    kept = {key: value for key, value in call.items() if key not in _OWN}
    opened: JsonObject = {**part, "functionCall": {**kept, "args": deep_copy(obj(call.get("args")))}}
    _apply(obj(opened["functionCall"]), call)
    return opened


def _reopened(made: list[object]) -> JsonObject | None:
    """The last part, if it is a named call without arguments: ready to be added to, in its place."""
    call = obj(obj(made[-1]).get("functionCall")) if made else {}
    if not call.get("name") or call.get("args"):
        return None
    made[-1] = _opened(obj(made[-1]), call)
    return obj(made[-1])


def _add(opened: JsonObject, part: JsonObject, call: JsonObject) -> None:
    target = obj(opened["functionCall"])
    _apply(target, call)
    target.update({key: value for key, value in call.items() if key not in _OWN and key not in target})
    opened.update({key: value for key, value in part.items() if key not in opened})


def _apply(target: JsonObject, call: JsonObject) -> None:
    args = obj(target["args"])
    args.update(obj(call.get("args")))
    for piece in objs(call.get("partialArgs")):
        steps = _steps(text(piece.get("jsonPath")))
        if steps:
            _set(args, steps, _value(piece))


def _value(piece: JsonObject) -> object:
    return next((piece[name] for name in _VALUES if name in piece), None)


def _steps(path: str) -> list[str | int]:
    """``$.a.b[0]`` -> ["a", "b", 0]; [] for a path we do not understand."""
    found = [(match[1] or match[3] or "", match[2]) for match in _STEP.finditer(path.removeprefix("$"))]
    return [int(index) if index else name for name, index in found]


def _set(target: object, steps: list[str | int], value: object) -> None:
    """Walk to the place, making what is missing, and put the value there; a string goes on where a string stands."""
    for step, following in pairwise(steps):
        empty: object = [] if isinstance(following, int) else {}
        target = _get_or_make(target, step, empty)
    last = steps[-1]
    earlier = _get_or_make(target, last, None)
    new = earlier + value if isinstance(earlier, str) and isinstance(value, str) else value
    _store(target, last, new)


def _get_or_make(target: object, step: str | int, empty: object) -> object:
    if isinstance(target, dict) and isinstance(step, str):
        return target.setdefault(step, empty)
    if isinstance(target, list) and isinstance(step, int) and step < _MAX_INDEX:
        while len(target) <= step:
            target.append(None)
        if target[step] is None:
            target[step] = empty
        return target[step]
    return empty


def _store(target: object, step: str | int, value: object) -> None:
    if isinstance(target, dict):
        target[step] = value
    if isinstance(target, list) and isinstance(step, int) and step < len(target):
        target[step] = value
