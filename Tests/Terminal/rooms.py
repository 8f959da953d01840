"""Changes to rooms over HTTP."""

import json

from server import identifier
from waiting import wait_until


def draw(server, room, **properties):
    """Makes a shape over HTTP, and returns its identifier."""
    shape = identifier()
    change(server, room, shape, **({"kind": "rectangle"} | properties))
    return shape


def change(server, room, shape, **properties):
    post(server, room, [{"shape": shape, "set": properties}])


def post(server, room, operations):
    """Writes operations over HTTP, a thousand in each request."""
    for start in range(0, len(operations), 1000):
        body = json.dumps({"ops": operations[start : start + 1000]}).encode()
        answer = server._http("POST", f"/v1/rooms/{room}/ops", body, {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body


def shapes(server, room):
    answer = server._http("GET", f"/v1/rooms/{room}", None, {})
    return answer.json["shapes"] if answer.status == 200 else []


def holds(server, room, condition):
    """Waits until the room's shapes meet the condition, and returns them."""

    def ask():
        drawn = shapes(server, room)
        return (drawn or True) if condition(drawn) else False

    wait_until(ask, lambda: f"the room holds {shapes(server, room)}")
    return shapes(server, room)


def joins(client, server, room, *more):
    return [client, "join", room, "--server", f"ws://127.0.0.1:{server.port}", "--name", "Ann", *more]
