"""bridgecheck's command protocol, version 1 (docs/protocol.md), for any object in Python. Copy it; it needs nothing.

    serve(adapter)

The adapter has a name, a version, routes, and what it can of to_upstream, from_upstream, stream and call. A refusal is
a NotImplementedError that names the field. A call that the provider answers with an error raises CallFailed.
"""

import json
import sys
import traceback


class CallFailed(Exception):
    """``body``: the error as the client gets it, in its dialect; ``retry_after``: seconds."""

    def __init__(self, status, body, retry_after=None):
        super().__init__(status)
        known = {"status": status, "body": body, "retry_after": retry_after}
        self.members = {name: value for name, value in known.items() if value is not None}


def serve(adapter):
    """Answers until it is told to stop. What is printed meanwhile goes to standard error: the answers are all there may
    be on standard output."""
    lines, out, sys.stdout = sys.stdin, sys.stdout, sys.stderr
    streams = {}
    for line in lines:
        request = json.loads(line)
        number, op = request.pop("id"), request.pop("op")
        try:
            for answer in answers(adapter, streams, op, request):
                write(out, number, answer)
        except NotImplementedError as refusal:
            write(out, number, {"unsupported": str(refusal) or "not supported"})
        except CallFailed as failure:
            write(out, number, {"failed": failure.members})
        except Exception as error:
            message = f"{type(error).__name__}: {error}"
            write(out, number, {"errored": message, "traceback": traceback.format_exc()})
        if op == "stop":
            return


def write(out, number, answer):
    out.write(json.dumps({"id": number, **answer}) + "\n")
    out.flush()


def answers(adapter, streams, op, request):
    """One answer, but for a streamed call: that has one for each event."""
    if op == "start":
        yield {"bridgecheck": 1, "name": adapter.name, "version": adapter.version}
    elif op == "capabilities":
        yield capabilities(adapter)
    elif op == "to_upstream":
        yield {"body": adapter.to_upstream(**request), **losses(adapter)}
    elif op == "from_upstream":
        status, body = adapter.from_upstream(**request)
        yield {"status": status, "body": body, **losses(adapter)}
    elif op == "stream.open":
        number = request.pop("stream")
        streams[number] = adapter.stream(**request)
        yield {"opened": True}
    elif op == "stream.feed":
        yield {"events": streams[request["stream"]].feed(request["event"])}
    elif op == "stream.close":
        yield {"events": streams.pop(request["stream"]).close(), **losses(adapter)}
    elif op == "call" and request["mode"] == "stream":
        for event in adapter.call(**request):
            yield {"event": event}
        yield {"end": True}
    elif op == "call":
        yield {"body": adapter.call(**request)}
    elif op == "stop":
        yield {"stopped": True}
    else:
        raise NotImplementedError(f"the operation {op}")


def capabilities(adapter):
    does = [name for name in ("to_upstream", "from_upstream", "stream", "call") if hasattr(adapter, name)]
    members = {"routes": list(adapter.routes), "does": does}
    for name in ("claims", "cannot_say"):
        if hasattr(adapter, name):
            members[name] = list(getattr(adapter, name))
    if hasattr(adapter, "pivots"):
        members["pivots"] = [[*route, between] for route, between in adapter.pivots.items() if between]
    return members


def losses(adapter):
    """What the last conversion could not express, if the adapter reports it: dicts with path and reason."""
    return {"losses": adapter.take_losses()} if hasattr(adapter, "take_losses") else {}
