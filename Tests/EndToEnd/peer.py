"""A member of a room for tests that aren't `async`. It shares no code with our clients."""

import json

from websockets.sync.client import connect

from waiting import SECONDS


class Peer:
    def __init__(self, server, room, name="Bob", color="#0369A1", **hello):
        # With a bound, messages that a test doesn't read would hold back the answer to `close` for ten seconds.
        self.socket = connect(server.socket(room), subprotocols=["canvas.v1.json"], max_size=None, max_queue=None).__enter__()
        self.send(type="hello", name=name, color=color, **hello)
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
