"""Data of a server from before the first release."""

import os
import sqlite3

from client import Client
from server import ROOT, Server, run

SHAPES = {"afy-kw5-t7o": "rectangle", "b00-000-00z": "text"}
ROOMS = {
    "recorded": ("39a7d27d58f01171", SHAPES | {"k3j-9x2-m1p": "line"}),
    "pictured": ("46eb65887163ddca", SHAPES),
    "forgotten": ("e939d6d562d3f086", SHAPES),
}
# An actor of the room `recorded`, with its key.
ACTOR = {"actor": "u71-g17-rpe", "key": "RSfYiLD8oo0ztdB_hwPM8w"}


async def test_a_data_directory_from_before_the_first_release_is_read(tmp_path):
    """C9: All records and snapshots are sound, and give the drawings that they gave then. Keys stay valid."""
    with open(os.path.join(ROOT, "Tests", "EndToEnd", "stored_before.sql"), encoding="ascii") as file:
        database = sqlite3.connect(tmp_path / "canvas.db")
        database.executescript(file.read())
        database.close()
    code, said, _ = run("log", "verify", "--data", tmp_path)
    assert code == 0, said
    with Server(data=str(tmp_path)) as server:
        for room, (digest, kinds) in ROOMS.items():
            client = await Client.join(server, room)
            assert {shape: values["kind"][1] for shape, values in client.live.items()} == kinds
            await client.agrees()
            assert client.digest == digest
        again = await Client.join(server, "recorded", **ACTOR)
        assert again.actor == ACTOR["actor"]
        await again.accepted({"shape": "b00-000-00z", "set": {"text": "Done"}})
