"""What a reproduction does when it runs: play the case against the adapter, and say whether the finding shows.

Scripts contain this module whole, so it needs the standard library alone. It judges nothing but the one finding that
``case`` describes: ``play`` returns the traffic of the case, ``tell`` what follows from it.

``case`` is a plain object: client, upstream, mode; converts (documents in, documents out); requests and recorded, one
a turn or one a call; plain, a request and a response of one text, where the finding is that the provider is never
asked; oracle; target, files and requirements, which ``runtime_adapters`` reads. So is the traffic:

    {"requested": [body, ...], "sent": [body, ...], "received": [[document, ...], ...], "status": [200, ...],
     "steps": [[1, 0], ...], "raw": ["data: ...", ...], "raised": "", "plain": ""}

``raised``: what the adapter raised. ``plain``: "reached" if the plain turn reached the provider, else why it did not.
"""

import argparse
import asyncio
import copy
import hashlib
import inspect
import json
import os
import re
import threading
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bridgecheck.model.literals import find_violation, is_refusal, plain_json, select
from bridgecheck.repro.runtime_adapters import INSTALL, AdapterRaised, NotReachable, end_all_processes, load_adapter
from bridgecheck.repro.runtime_provider import Provider, read_documents
from bridgecheck.repro.runtime_turns import fill_request

SHOWS, DOES_NOT_SHOW, UNKNOWN = 1, 0, 2
LIMIT_S = 60
"""Seconds without an end, beside those that the adapter may take to start."""
LEGEND = "EXPECTED: of a right adapter. FOUND: when this script was made. ACTUAL: what this run got."


def main(case: dict[str, Any]) -> int:
    """Return 1 if the fault shows, 0 if it does not, 2 if nothing can be said."""
    parser = argparse.ArgumentParser(description="Exit codes: 1 the fault shows, 0 it does not, 2 nothing can be said.")
    parser.add_argument("--requirements", action="store_true", help="print what has to be installed, and end")
    modules = "the folder node_modules with the adapter, of one in JavaScript; also the variable NODE_MODULES"
    parser.add_argument("--node-modules", default=os.environ.get("NODE_MODULES", ""), metavar="DIR", help=modules)
    parser.add_argument("--folder", default="", metavar="DIR", help="the folder of an adapter that is not installed")
    parser.add_argument("--traffic", metavar="FILE", help="write what went over the wire to a file, as JSON")
    options = parser.parse_args()
    if options.requirements:
        print("\n".join(case["requirements"]))
        return 0
    start_seconds = int(case["target"].get("seconds") or 0)
    timer = threading.Timer(LIMIT_S + start_seconds, _end_hanging_script)
    timer.daemon = True
    timer.start()
    try:
        traffic = play(case, load_adapter(case, options.node_modules, options.folder))
        if options.traffic:
            Path(options.traffic).write_text(json.dumps(traffic), encoding="utf-8")
        code, lines = tell(case, traffic)
    except NotReachable as error:
        code, lines = UNKNOWN, [_nothing(f"the adapter cannot be reached: {error}", error.advice)]
    except Exception:
        code, lines = UNKNOWN, [_nothing(f"the script broke:\n{traceback.format_exc()}", "report this script")]
    end_all_processes()
    print("\n".join(lines), flush=True)
    return code


def _end_hanging_script() -> None:
    print(_nothing("the adapter did not come to an end in time", "try again; look for what it waits for"), flush=True)
    end_all_processes()
    os._exit(UNKNOWN)


def _nothing(why: str, advice: str) -> str:
    return f"Nothing can be said: {why}\nNext: {advice}"


# Whether the finding shows.


def tell(case: dict[str, Any], traffic: dict[str, Any]) -> tuple[int, list[str]]:
    """Return SHOWS, DOES_NOT_SHOW or UNKNOWN, and what to print: what was expected, what came, and the conclusion."""
    oracle = case["oracle"]
    lines = [f"SENT to the provider [{number}]: {json.dumps(body)}" for number, body in enumerate(traffic["sent"])]
    lines = lines if case["converts"] else []  # the provider has printed them as they came
    why = _why_nothing_can_be_said(oracle, traffic)
    if why:
        is_missing = _NOT_IMPORTED.search(traffic["raised"]) or _NOT_IMPORTED.search(traffic["plain"])
        return UNKNOWN, [*lines, _nothing(why, INSTALL if is_missing else case["advice"])]
    judge = {"raises": _judge_raised, "literal": _judge_literals, "difference": _judge_watched}[oracle["kind"]]
    code, shown = judge(case, traffic)
    lines += [LEGEND, *shown]
    if code == SHOWS:
        return code, [*lines, "The fault shows."]
    if code == DOES_NOT_SHOW:
        return code, [*lines, "The fault does not show."]
    why = "what came is neither what was found nor what is expected: another fault, or right in another form"
    return code, [*lines, _nothing(why, case["advice"])]


def _why_nothing_can_be_said(oracle: dict[str, Any], traffic: dict[str, Any]) -> str:
    raised = describe_exception(traffic["raised"])
    if not oracle["asks"] and traffic["plain"] != "reached":
        return f"not even a plain turn reaches the provider: {traffic['plain'] or 'nothing was sent'}"
    if oracle["asks"] and not traffic["sent"]:
        return f"the provider was never asked{f'; the adapter raised {raised}' if raised else ''}"
    if raised and not is_same_exception(raised, oracle["raised"]):
        found = oracle["raised"] or "no exception"
        return f"the adapter raised another exception than what was found.\nFOUND    {found}\nACTUAL   {raised}"
    received = any(traffic["received"])
    if not raised and not received and (oracle["kind"] == "raises" or not oracle["silent"]):
        return "the client received nothing"
    if oracle["kind"] == "raises" and not raised and is_any_error(traffic["received"]) and not oracle["errors"]:
        return "the adapter raises no exception, and the client received an error"
    there = [list(leaf) for leaf in all_leaves(traffic)]
    for texts in oracle.get("witness", ()):
        if not any(pair in there for pair in texts):
            path, value = texts[0]
            return f"this is not the exchange in which it was found: {path} does not hold {json.dumps(value)}"
    return ""


def is_same_exception(raised: str, found: str) -> bool:
    """Return whether it is the same. What an adapter answers itself, without the provider, is by its status, where both
    have one, and its body; a refusal was found as its body alone. Where a long body is cut depends on paths in it."""
    came, before = (_OWN_ERROR.match(text) for text in (raised, found))
    if not came or not before or not came[1]:
        return raised == found
    length = min(len(came[3]), len(before[3]))
    texts = [text[:length] if length >= OWN_ERROR_LENGTH // 2 else text for text in (came[3], before[3])]
    return texts[0] == texts[1] and (came[2] == before[2] or not came[2] or not before[2])


def is_any_error(received: list[Any]) -> bool:
    documents = [document for turn in received for document in turn if isinstance(document, dict)]
    return any(document.get("error") or document.get("type") == "error" for document in documents)


def _judge_raised(case: dict[str, Any], traffic: dict[str, Any]) -> tuple[int, list[str]]:
    raised = describe_exception(traffic["raised"])
    lines = [f"EXPECTED a response\nFOUND    {case['oracle']['raised']}\nACTUAL   {raised or 'a response'}"]
    return SHOWS if raised else DOES_NOT_SHOW, lines  # another exception than the one found is told before


def _judge_literals(case: dict[str, Any], traffic: dict[str, Any]) -> tuple[int, list[str]]:
    rows, lines, bound = case["oracle"]["literals"], [], dict[str, str]()
    states: list[int] = []
    for row in rows:
        values = literal_values(row, traffic)
        is_as_found = mask_values(values, row["pattern"]) == mask_values(row["found"], row["pattern"])
        states.append(DOES_NOT_SHOW if is_met(row, traffic, bound) else SHOWS if is_as_found else UNKNOWN)
        lines.append(
            f"EXPECTED {row['on']}[{row['index']}] {row['path']}: {row['operator']} {json.dumps(row['operand'])}"
        )
        lines.append(f"FOUND    {' | '.join(map(json.dumps, row['found'])) or '(nothing)'}")
        lines.append(f"ACTUAL   {' | '.join(map(json.dumps, values)) or '(nothing)'}")
    if all(state == DOES_NOT_SHOW for state in states):
        return DOES_NOT_SHOW, lines
    unmet = [row for row, state in zip(rows, states, strict=True) if state != DOES_NOT_SHOW]
    own_unmet = [row for row in rows if row["unmet"]]
    return SHOWS if UNKNOWN not in states and unmet == own_unmet else UNKNOWN, lines


def mask_values(values: list[Any], by_pattern: bool) -> list[Any]:
    """Return the values as text; ``by_pattern``: which of them are equal is all that counts, as of ids."""
    shown = [mask_varying(plain_json(value)) for value in values]
    return [shown.index(value) for value in shown] if by_pattern else list(shown)


def is_met(row: dict[str, Any], traffic: dict[str, Any], bound: dict[str, str]) -> bool:
    if row["operator"] != "bind":
        document, turn = literal_document(row, traffic), row["index"]
        is_refused = is_refusal(row["on"], turn, document is not None, traffic["received"])
        return not find_violation(row["operator"], row["operand"], document, row["path"], row["on"], is_refused)
    values = literal_values(row, traffic)  # the same value wherever the same name stands
    first = [bound.setdefault(row["operand"], plain_json(value)) for value in values]
    return bool(values) and first == [plain_json(value) for value in values]


def literal_values(row: dict[str, Any], traffic: dict[str, Any]) -> list[Any]:
    """Return everything that the path of an expectation selects."""
    return list(select(literal_document(row, traffic), row["path"], row["on"]))


def literal_document(row: dict[str, Any], traffic: dict[str, Any]) -> Any:
    """Return the document that an expectation is about, None if it is not there. Events are one list."""
    documents = traffic["sent" if row["on"] == "upstream_request" else "received"]
    if row["index"] >= len(documents):
        return None
    document = documents[row["index"]]
    return next(iter(document), None) if row["on"] == "client_response" else document


def _judge_watched(case: dict[str, Any], traffic: dict[str, Any]) -> tuple[int, list[str]]:
    watched, lines = case["oracle"]["watched"], list[str]()
    actual = [watched_values(case, traffic, row) for row in watched]
    for row in watched:
        sides = row | row.get("shown", {}) | {"actual": values_to_show(case, traffic, row)}
        for label, side in (("EXPECTED", "right"), ("FOUND   ", "found"), ("ACTUAL  ", "actual")):
            lines.append(f"{label} {row['path']}: {' | '.join(map(json.dumps, sides[side])) or '(nothing)'}")
    if actual == [row["found"] for row in watched]:
        changes = _changes_of_shape(case["oracle"].get("shape") or [], traffic)
        return (UNKNOWN, [*lines, *changes]) if changes else (SHOWS, lines)
    return DOES_NOT_SHOW if all(map(_is_right, watched, actual)) else UNKNOWN, lines


def _changes_of_shape(shape: list[str], traffic: dict[str, Any]) -> list[str]:
    """Return what has come or gone at the ends that are watched since it was found: it may be repaired in a form that
    is not watched. ``shape``: all paths of these ends; [] if it does not matter."""
    ends = {path.partition("[")[0] for path in shape}
    actual = {path for path, _ in all_leaves(traffic) if path.partition("[")[0] in ends}
    changes = [f"NEW      {path}" for path in sorted(actual - set(shape))]
    return changes + [f"GONE     {path}" for path in sorted(set(shape) - actual)] if shape else []


def _is_right(row: dict[str, Any], actual: list[Any]) -> bool:
    """Return whether all that is expected stands there, and nothing of what was found in its place."""
    right, found, came = (Counter(map(json.dumps, values)) for values in (row["right"], row["found"], actual))
    if row["how"] == "ids":
        return bool(actual[0] >= row["right"][0])  # distinct ones
    return came == right or (row["how"] == "values" and bool(right) and right <= came and not (found - right) & came)


def watched_values(case: dict[str, Any], traffic: dict[str, Any], row: dict[str, Any]) -> list[Any]:
    """Return what stands at the path of a row. ``how``: its ``values``; their ``hashes``, where they look like
    credentials; whole ``items`` of a list but their ids and what is ``without``, and how many distinct ``ids`` they
    have; only how many there are of which type (``kinds``), for ids and times; whether anything is ``there`` at
    all; a ``digest`` of all below it, for what no single place shows. Of what surrounds the documents: the number of
    ``calls``, the fields of a stream but its data (``framing``), or whether most of a stream left only when the last of
    it had arrived (``held``)."""
    path, how = row["path"], row["how"]
    if how == "there":
        return [any(leaf_path.startswith((f"{path}.", f"{path}[")) for leaf_path, _ in all_leaves(traffic))]
    if how == "calls":
        return [len(traffic["sent"])]
    if how == "held":
        return [sum(steps[:-1]) < steps[-1] for steps in traffic["steps"] if steps]
    if how == "framing":
        lines = [line.strip() for body in traffic["raw"] for line in body.split("\n")]
        fields = {line if line == "data: [DONE]" else line.partition(":")[0] for line in lines}
        return sorted(fields - {"", "data"})
    if how == "digest":
        below = [list(leaf) for leaf in all_leaves(traffic) if leaf[0].startswith(path)]
        return [hashlib.sha256(mask_varying(json.dumps(below)).encode()).hexdigest()[:16]]
    if how == "items":
        shown = [item_text(item, row["without"]) for item in list_items(traffic, path)]
        return [hashlib.sha256(text.encode()).hexdigest()[:16] for text in shown] if row["hashed"] else shown
    if how == "ids":
        return [len({item_id for item in list_items(traffic, path) for item_id in ids_of_item(item)})]
    values = _leaves_at(traffic, path)
    if how == "hashes":
        return [hashlib.sha256(json.dumps(value).encode()).hexdigest()[:16] for value in values]
    in_pieces = case["mode"] == "stream" and path.startswith("received")
    if how == "kinds":
        kinds = [type(value).__name__ for value in values]
        return sorted(set(kinds)) if in_pieces else kinds
    return ["".join(values)] if in_pieces and values and all(isinstance(value, str) for value in values) else values


def _leaves_at(traffic: dict[str, Any], path: str) -> list[Any]:
    values = [mask_varying(leaf) for leaf_path, leaf in all_leaves(traffic) if leaf_path == path]
    return [value for value in values if value is not None] or values  # null beside others says nothing


def values_to_show(case: dict[str, Any], traffic: dict[str, Any], row: dict[str, Any]) -> list[Any]:
    """Return the values of a row as they are printed. What the events of a stream hold is compared as one text; printed
    is each value, of texts that come in pieces the whole text, of arguments each whole object."""
    values, name = watched_values(case, traffic, row), row["path"].rpartition(".")[2]
    pieces = _leaves_at(traffic, row["path"])
    if row["how"] != "values" or values == pieces or name in TEXTS_IN_PIECES:
        return values
    return join_objects(pieces) if name in ARGUMENTS_IN_PIECES else pieces


def join_objects(pieces: list[str]) -> list[str]:
    """Join pieces of JSON objects that follow each other, each object for itself."""
    whole, begun = list[str](), ""
    for piece in pieces:
        begun += piece
        if isinstance(_parse_json(begun), dict):
            whole, begun = [*whole, begun], ""
    return [*whole, begun] if begun else whole


def list_items(traffic: dict[str, Any], path: str) -> list[Any]:
    """Return the items of all lists at a path: of ``received[][].choices[].message.tool_calls`` all calls."""

    def below(value: Any, at: str) -> Iterator[Any]:
        if isinstance(value, dict):
            for key in value:
                yield from below(value[key], f"{at}.{key}")
        for item in value if isinstance(value, list) else ():
            if at == path:
                yield item
            yield from below(item, f"{at}[]")

    name = re.split(r"[.\[]", path)[0]
    return list(below(traffic[name], name))


def item_leaves(item: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of what an item holds but its ids; arguments as one value, whether they are text or not."""
    for key, value in item.items() if isinstance(item, dict) else ():
        if key in ARGUMENTS:
            yield f"{path}.args", _parse_json(value)
        elif isinstance(value, dict):
            yield from item_leaves(value, f"{path}.{key}")
        elif value is not None and not _ITEM_ID.search(f"{path}.{key}"):
            yield f"{path}.{key}", value
    if not isinstance(item, dict):
        yield path, item


def _parse_json(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def item_text(item: Any, without: list[str]) -> str:
    held = {path: value for path, value in item_leaves(item) if path not in without}
    return str(mask_varying(json.dumps(held, sort_keys=True)))


def ids_of_item(item: Any) -> list[str]:
    return [value for path, value in leaves(item, "") if _ITEM_ID.search(path) and isinstance(value, str) and value]


def all_leaves(traffic: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of everything that went over the wire: ``received[][].choices[].message.content``."""
    for name in ("sent", "received", "status", "steps", "raw"):
        yield from leaves(traffic[name], name)


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key in sorted(value):
            yield from leaves(value[key], f"{path}.{key}")
    elif isinstance(value, list) and value:
        for item in value:
            yield from leaves(item, f"{path}[]")
    else:
        yield path, value


ARGUMENTS = ("args", "args_text", "arguments", "input")
"""The names under which the arguments of a call stand."""

TEXTS_IN_PIECES = ("content", "reasoning", "reasoning_content", "refusal", "signature", "text", "thinking")
ARGUMENTS_IN_PIECES = ("arguments", "partial_json")
"""What the events of a stream hold a piece of."""

_ITEM_ID = re.compile(r"^(?:\.(?:function|tool_call|functionCall|function_call))?\.id$")
_NOT_IMPORTED = re.compile(r"ModuleNotFoundError|ImportError|ERR_MODULE_NOT_FOUND|Cannot find (?:module|package)")
_OWN_ERROR = re.compile(
    r"(?:refused: )?(answered (?:(\d+)|an error) without calling the provider[^:]*: )?(.*)", re.DOTALL
)
OWN_ERROR_LENGTH = 2_000
_VARYING = re.compile(r"(?<=127\.0\.0\.1:)\d+|(?<=localhost:)\d+|\b0x[0-9a-fA-F]+|\b[0-9a-f]{8}-[0-9a-f-]{27}\b")
_FOLDERS = re.compile(r"(?:[\w.@+-]*/)+(?=[\w.@+-])")
_FRAME = re.compile(r'\s+File "')
_NODE_FRAME = re.compile(r"\s+at \S")


def mask_varying(value: Any) -> Any:
    """Return a text without ports, addresses in memory and UUIDs; other values as they are."""
    return _VARYING.sub("*", value) if isinstance(value, str) else value


def describe_exception(text: str) -> str:
    """Return type and message of an exception, by its traceback, without what varies between runs and machines; "" for
    none. Frames of Node.js stand behind the message, with positions that depend on its version."""
    lines = [line for line in text.strip().split("\n") if not _NODE_FRAME.match(line)]
    frames = [number for number, line in enumerate(lines) if _FRAME.match(line)]
    behind = lines[frames[-1] + 1 :] if frames else lines
    start = next((number for number, line in enumerate(behind) if line[:1].strip()), 0)
    return _FOLDERS.sub("", mask_varying("\n".join(behind[start:]))).strip()


# Playing the case.


def play(case: dict[str, Any], adapter: Any) -> dict[str, Any]:
    """Return what went over the wire in the case: all turns, after the plain one where there is one."""
    names = ("requested", "sent", "received", "status", "steps", "raw")
    traffic: dict[str, Any] = {**{name: list[Any]() for name in names}, "raised": "", "plain": ""}
    if case["converts"]:
        loop = asyncio.new_event_loop()
        if case["plain"]:
            traffic["plain"] = _convert_plain_turn(case, adapter, loop)
        _convert_turns(case, adapter, loop, traffic)
    else:
        provider = Provider(case["recorded"], case["port"])
        provider.start()
        asyncio.run(_converse(case, adapter, provider, traffic))
    return traffic


def _convert_plain_turn(case: dict[str, Any], adapter: Any, loop: asyncio.AbstractEventLoop) -> str:
    try:
        _convert(case, adapter, loop, {name: list[Any]() for name in ("sent", "received", "status", "steps")},
                 case["plain"]["request"], case["plain"]["recorded"])  # fmt: skip
    except Exception:
        return traceback.format_exc()
    return "reached"


def _turns(case: dict[str, Any], traffic: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each turn with what the client received so far in its body, as long as there is something to send back."""
    for turn in case["requests"]:
        try:
            body = fill_request(case, turn["body"], traffic["received"])
        except LookupError:
            return
        traffic["requested"].append(body)
        yield {**turn, "body": body}


def _convert_turns(case: dict[str, Any], adapter: Any, loop: Any, traffic: dict[str, Any]) -> None:
    for recorded, turn in zip(case["recorded"], _turns(case, traffic), strict=False):
        try:
            _convert(case, adapter, loop, traffic, turn, recorded)
        except Exception as error:
            traffic["raised"] = describe_raised(error)
            break


def _convert(
    case: dict[str, Any], adapter: Any, loop: Any, traffic: dict[str, Any], turn: dict[str, Any], recorded: Any
) -> None:
    def wait_for(value: Any) -> Any:
        return loop.run_until_complete(value) if inspect.isawaitable(value) else value

    body, ends = turn["body"], {"client": case["client"], "upstream": case["upstream"]}
    converted = adapter.to_upstream(copy.deepcopy(body), mode=case["mode"], model=turn["model"], **ends)
    traffic["sent"].append(wait_for(converted))
    context = {"model": turn["model"], "request": copy.deepcopy(body), **ends}
    documents, status = copy.deepcopy(recorded["documents"]), recorded["status"]
    if case["mode"] == "stream" and status < 400:
        stream = adapter.stream(**context)
        steps = [list(wait_for(stream.feed(event))) for event in documents] or [[]]
        steps[-1] += wait_for(stream.close())
        traffic["steps"].append([len(step) for step in steps])
        traffic["received"].append([event for step in steps for event in step])
    else:
        document = documents[0] if documents else {}
        status, response = wait_for(adapter.from_upstream(document, status=status, **context))
        traffic["received"].append([response])
    traffic["status"].append(status)


def describe_raised(error: Exception) -> str:
    """Return the traceback of an exception; of one in another process what that process wrote."""
    if isinstance(error, AdapterRaised):
        return str(error)
    return f"refused: {error}" if isinstance(error, NotImplementedError) else traceback.format_exc()


async def _converse(case: dict[str, Any], adapter: Any, provider: "Provider", traffic: dict[str, Any]) -> None:
    endpoint = {"base_url": provider.url + case["base_path"], "api_key": "a-key-for-nobody"}
    try:
        session = adapter.connect(client=case["client"], upstream=case["upstream"], **endpoint)
    except NotReachable:
        raise
    except Exception as error:
        raise NotReachable(f"connect raised {describe_exception(traceback.format_exc())}") from error
    if case["plain"]:
        print("A plain turn first, to see that the adapter reaches the provider:")
        provider.responses, provider.requests = [case["plain"]["recorded"]], []
        why = ""
        try:
            await send_turn(case, session, copy.deepcopy(case["plain"]["request"]["body"]), case["plain"]["request"])
        except Exception as error:
            why = describe_raised(error)
        traffic["plain"] = "reached" if provider.requests and not why else why or "nothing was sent"
        provider.responses, provider.requests = case["recorded"], []
        print("And now the request of the finding:")
    for turn in _turns(case, traffic):
        request_count = len(provider.requests)
        try:
            status, received = await send_turn(case, session, copy.deepcopy(turn["body"]), turn)
        except Exception as error:
            traffic["raised"] = describe_raised(error)
            break
        traffic["status"].append(status)
        traffic["raw"].append(received.decode("latin-1") if isinstance(received, bytes) else "")
        traffic["received"].append(read_documents(received) if isinstance(received, bytes) else received)
        is_error = status >= 400 or is_any_error(traffic["received"][-1:])
        if is_error and len(provider.requests) == request_count:  # it fails by itself, and says so in a response
            traffic["raised"] = describe_own_error(status, traffic["received"][-1], received)
            break
    traffic["sent"] = provider.requests
    await wait_async(session.close())


def describe_own_error(status: int, documents: list[Any], received: bytes | list[Any]) -> str:
    """Return what stands for an exception where an adapter answers with an error and had not asked the provider."""
    plain = received.decode("utf-8", "replace") if isinstance(received, bytes) else ""
    text = json.dumps(documents[-1], ensure_ascii=False) if documents else plain
    shown = text[:OWN_ERROR_LENGTH] or "(an empty body)"
    return f"answered {status if status >= 400 else 'an error'} without calling the provider: {shown}"


async def send_turn(case: dict[str, Any], session: Any, body: Any, turn: Any) -> tuple[int, bytes | list[Any]]:
    """Send one turn; return the status and the documents that the client receives, or the bytes of them."""
    if hasattr(session, "exchange"):
        status, received = await wait_async(session.exchange(body, turn))
        return int(status), received
    method = session.stream if case["mode"] == "stream" else session.generate
    headers = {"headers": turn["headers"]} if "headers" in inspect.signature(method).parameters else {}
    documents: list[Any] = []
    try:
        response = await wait_async(method(body, model=turn["model"], **headers))
        if case["mode"] != "stream":
            return 200, [response]
        if hasattr(response, "__aiter__"):
            async for event in response:
                documents.append(event)
        else:
            documents.extend(response)
    except Exception as error:
        status = getattr(error, "status", None) or getattr(error, "status_code", None)
        error_body = getattr(error, "body", None)
        if isinstance(error, NotImplementedError) or (status is None and error_body is None):
            raise
        return int(200 if documents else status or 200), [*documents, *([error_body] if error_body is not None else [])]
    return 200, b"".join(documents) if documents and isinstance(documents[0], bytes) else documents


async def wait_async(value: Any) -> Any:
    """Return the result, awaited where the method is async."""
    return await value if inspect.isawaitable(value) else value
