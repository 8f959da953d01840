"""Changes to rooms by other clients: over HTTP, and as another member."""

import json

from websockets.sync.client import connect

from server import identifier
from waiting import SECONDS, wait_until


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


class Peer:
    """Another member of the room, which shares no code with our clients."""

    def __init__(self, server, room, name="Bob", color="#0369A1"):
        self.socket = connect(server.socket(room), subprotocols=["canvas.v1.json"], max_size=None).__enter__()
        self.send(type="hello", name=name, color=color)
        self.welcome = self.until(lambda message: message["type"] == "welcome")
        self.states = {peer["actor"]: peer["state"] for peer in self.welcome["peers"]}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, **message):
        self.socket.send(json.dumps(message))

    def show(self, **state):
        self.send(type="presence", state=state)

    def until(self, condition):
        while True:
            message = json.loads(self.socket.recv(timeout=SECONDS))
            if message["type"] == "presence":
                for peer in message["peers"]:
                    self.states[peer["actor"]] = peer["state"]
            if condition(message):
                return message

    def sees(self, condition):
        """Waits until some member's presence meets the condition, and returns it."""
        if not any(condition(state) for state in self.states.values()):
            self.until(lambda _: any(condition(state) for state in self.states.values()))
        return next(state for state in self.states.values() if condition(state))
