"""Requests from pages of other sites and with unknown `Host` headers, over plain sockets. Tests/Page tries them in a
browser."""

import asyncio
import json
import socket

import websockets

from client import Client
from raw import UPGRADE
from server import identifier
from waiting import eventually

EVIL = "https://evil.example"


async def status(server, head, body=b""):
    """Sends a request head, and returns the status and the error of the response."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
    writer.write("\r\n".join([*head, f"Content-Length: {len(body)}", "Connection: close", "", ""]).encode() + body)
    answer = await reader.read()
    writer.close()
    first, _, content = answer.partition(b"\r\n\r\n")
    code = json.loads(content)["error"]["code"] if content.startswith(b'{"error"') else None
    return int(first.split()[1]), code


async def opens(server, room, **options):
    """Whether a WebSocket opens and gets a welcome. If not, the status with which the upgrade is refused."""
    try:
        client = Client(await websockets.connect(server.socket(room), compression=None, **options))
    except websockets.InvalidStatus as refused:
        return refused.response.status_code
    await client.send({"type": "hello"})
    assert (await client.receive())["type"] == "welcome"
    await client.close()
    return True


def post(server, room, headers):
    return server.http("POST", f"/v1/rooms/{room}/ops", {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}, headers)


async def test_pages_of_other_sites_are_refused(shared):
    """C8: Upgrades, writes, deletions and reads of other sites are refused, with and without tokens."""
    (shape,) = await shared.write("visited")
    for origin in [EVIL, "null", "http://127.0.0.1:1", f"http://localhost:{shared.port}.evil.example", "http://localhost"]:
        headers = {"Origin": origin}
        assert await opens(shared, "visited", origin=origin) == 403, origin
        for answer in [
            await post(shared, "visited", headers),
            await shared.http("POST", "/v1/rooms/visited/layout", {"squares": []}, headers),
            await shared.http("POST", "/v1/rooms/visited/ops", b"{}", headers | {"Content-Type": "text/plain"}),
            await shared.http("DELETE", "/v1/rooms/visited", headers=headers),
            await shared.get("/v1/rooms/visited", headers),
            await shared.get("/v1/rooms", headers),
            await shared.get("/metrics", headers),
        ]:
            assert answer.status == 403 and answer.error == "foreign_origin", (origin, answer.body)
            assert "Access-Control-Allow-Origin" not in answer.headers
    assert [each["id"] for each in await shared.shapes("visited")] == [shape]
    assert (await shared.get("/", {"Origin": EVIL})).status == 200, "the page's own files say nothing about rooms"


async def test_only_known_names_are_answered(shared):
    """C8: Any other `Host` gets 421, for every route except the probes."""
    await shared.write("named")
    for host in ["evil.example", f"evil.example:{shared.port}", f"127.0.0.1.evil.example:{shared.port}", "x"]:
        for target in ["GET /", "GET /r/named", "GET /page.json", "GET /v1/rooms", "GET /v1/rooms/named", "GET /metrics",
                       "POST /v1/rooms/named/ops", "DELETE /v1/rooms/named", "GET /elsewhere"]:
            found = await status(shared, [f"{target} HTTP/1.1", f"Host: {host}"])
            assert found == (421, "unknown_host"), (host, target, found)
        upgrade = ["GET /v1/rooms/named/sync HTTP/1.1", f"Host: {host}", *UPGRADE, f"Origin: http://{host}"]
        assert await status(shared, upgrade) == (421, "unknown_host"), host
        for probe in ["/healthz", "/readyz"]:
            assert (await status(shared, [f"GET {probe} HTTP/1.1", f"Host: {host}"]))[0] == 200
    mine = ["localhost", f"LOCALHOST:{shared.port}", socket.gethostname(), "[::1]", "127.0.0.1", "192.0.2.9:80"]
    for host in mine:
        assert (await status(shared, ["GET /v1/rooms/named HTTP/1.1", f"Host: {host}"]))[0] == 200, host
    assert (await status(shared, ["GET /v1/rooms/named HTTP/1.0"]))[0] == 200

    async def told():
        # Sends the request again and again. If there are many refusals in a second, the log only counts the later ones.
        await status(shared, ["GET /v1/rooms HTTP/1.1", "Host: evil.example"])
        return [line for line in shared.log if "--hosts evil.example" in line.get("reason", "")]

    await eventually(told, "a line")
