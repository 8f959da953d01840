"""What operators do from a terminal: who is in a room, removing somebody, locking the room."""

import json
import tempfile

from client import Client
from terminal import run
from server import Server

ANN, KEEPER = "ann-4f1b9c0d2e8a7f63", "keeper-2e8a7f634f1b9c0d"


async def test_peers_are_listed_and_removed_and_rooms_locked():
    """H14, H15: In words and as JSON. Without an operator's token the message says so."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(f"{ANN} editor *  # Ann's laptop\n{KEEPER} operator *\n")
        file.flush()
        with Server("--tokens", file.name) as server:
            async def operate(*words, code=0, token=KEEPER):
                return await run(server, *words, "--token", token, code=code)

            await operate("add", "demo", "name=Sun", token=ANN)
            ann = await Client.join(server, "demo", name="Ann", options={"additional_headers": {"Authorization": f"Bearer {ANN}"}})
            told = (await operate("peers", "demo")).out
            assert all(word in told for word in [ann.actor, "Ann's laptop", "editor", "127.0.0.1", "demo: 1 person"]), told
            (line,) = (await operate("peers", "demo", "--json")).out.splitlines()
            assert json.loads(line) | {"color": ""} == {
                "actor": ann.actor, "name": "Ann", "color": "", "role": "editor", "token": "Ann's laptop", "address": "127.0.0.1"}
            assert "was removed from demo" in (await operate("remove", "demo", ann.actor)).out
            assert await ann.closed() == 4403
            assert "not in the room" in (await operate("remove", "demo", ann.actor, code=1)).err
            assert "an actor is given as" in (await operate("remove", "demo", "Ann", code=64)).err
            assert "demo is locked" in (await operate("lock", "demo")).out
            assert "the room is locked" in (await operate("peers", "demo")).out
            await operate("add", "demo", "name=Moon", token=ANN, code=1)
            await operate("add", "demo", "name=Moon")
            assert "demo is unlocked" in (await operate("unlock", "demo")).out
            await operate("add", "demo", "name=Star", token=ANN)
            assert "token" in (await operate("lock", "demo", token=ANN, code=2)).err
