"""How flags and variables affect a running server. ConfigurationTests has the invalid values."""

import os
import re
import tempfile

import websockets

from client import Client, connect
from server import Server
from waiting import eventually


async def test_variables_of_what_is_no_limit():
    """`CANVAS_HOST`, `CANVAS_WEB`, `CANVAS_LOG_LEVEL` and `CANVAS_PROXIES` work like their flags."""
    with tempfile.TemporaryDirectory() as web:
        with open(os.path.join(web, "index.html"), "w") as file:
            file.write("a page of its own")
        environment = {
            "CANVAS_WEB": web, "CANVAS_LOG_LEVEL": "debug", "CANVAS_HOST": "0.0.0.0", "CANVAS_OPEN": "yes",
            "CANVAS_PROXIES": "127.0.0.1",
        }
        with Server(environment=environment) as server:
            assert any("listening on http://0.0.0.0:" in line["message"] for line in server.log)
            assert (await server.get("/")).body == b"a page of its own"
            header = {"X-Forwarded-For": "203.0.113.7"}
            async with websockets.connect(server.socket("room"), additional_headers=header):
                (line,) = await server.logged("connected")
                assert line["address"] == "203.0.113.7"


async def test_as_many_connections_in_all_as_may_be():
    """A connection beyond the limit is closed with 4429 and a reason. When another client has left, one more is
    accepted."""
    with Server("--max-connections", 2) as server:
        ann, bob = await Client.join(server, "one"), await Client.join(server, "two")
        third = await connect(server, "three")
        error = await third.receive()
        assert error["type"] == "error" and error["code"] == "too_many"
        assert await third.closed() == 4429
        await bob.close()

        async def placed():
            client = await connect(server, "three")
            await client.greet()
            return (await client.receive())["type"] == "welcome"

        await eventually(placed, "a place is free")
        await ann.send({"type": "ping"})
        await ann.until("pong")


async def test_names_of_peers_are_bounded():
    """The limit counts bytes and not letters. A name that is one byte too long is refused with 4400."""
    with Server("--max-name-bytes", 4) as server:
        for name in ["Anna", "Ää"]:
            ann = await Client.join(server, "names", name=name)
            await ann.close()
        for name in ["Annaa", "Ääx"]:
            client = await connect(server, "names")
            await client.send({"type": "hello", "name": name})
            assert await client.closed() == 4400, name
        bob = await Client.join(server, "names")
        (shape,) = await server.write("names", name="a shape's may be longer")
        await bob.sees(shape)
        assert re.search("longer", bob.live[shape]["name"][1])
