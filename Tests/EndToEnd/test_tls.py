"""The server behind TLS: nginx with deploy/nginx.conf, of which only the ports, certificates and paths of logs are
changed."""

import asyncio
import os
import re
import ssl
import subprocess
import urllib.request

import pytest
import websockets

from client import Client
from nginx import Nginx
from server import ROOT, Answer, Server, identifier, tool

TOKEN = "operator-7f634f1b9c0d2e8a"


def certificate(folder, name="localhost"):
    """Makes a self-signed certificate. Returns the paths of the certificate and of its key."""
    places = [os.path.join(folder, file) for file in ("certificate.pem", "key.pem")]
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name},IP:127.0.0.1"]
    subprocess.run([*command.split(), *names, "-out", places[0], "-keyout", places[1]], check=True, capture_output=True)
    return places


def settings(folder, port, upstream):
    """The settings that an operator would make."""
    with open(os.path.join(ROOT, "deploy", "nginx.conf")) as file:
        text = file.read()
    authority, key = certificate(folder)
    for pattern, replacement in [
        (r"listen 443 ssl http2;", f"listen 127.0.0.1:{port} ssl http2;"),
        (r"listen \[::\]:443 ssl http2;", ""),
        (r"/etc/letsencrypt/\S+/fullchain\.pem", authority),
        (r"/etc/letsencrypt/\S+/privkey\.pem", key),
        (r"/var/log/nginx/", folder + "/"),
        (r"proxy_pass \S+;", f"proxy_pass http://127.0.0.1:{upstream};"),
    ]:
        text, count = re.subn(pattern, lambda _: replacement, text)
        assert count >= 1, pattern
    return text


class Proxy(Nginx):
    """nginx with the file of deploy/, in front of a server."""

    def __init__(self, server):
        super().__init__()
        tool("openssl") or pytest.skip("openssl is not here")
        self.server = server

    def site(self):
        text = settings(self.folder, self.port, self.server.port)
        self.context = ssl.create_default_context(cafile=os.path.join(self.folder, "certificate.pem"))
        return text

    def _http(self, method, path, body, headers):
        request = urllib.request.Request(f"https://localhost:{self.port}{path}", data=body, method=method, headers=headers)
        try:
            with urllib.request.urlopen(request, timeout=20, context=self.context) as answer:
                return Answer(answer.status, answer.headers, answer.read())
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.headers, error.read())

    async def http(self, method, path, body=None, headers=None):
        return await asyncio.to_thread(self._http, method, path, body, headers or {})

    async def join(self, room, query="", subprotocols=("canvas.v1.json",), source="127.0.0.2", **hello):
        """Joins from another address than the proxy's."""
        address = f"wss://localhost:{self.port}/v1/rooms/{room}/sync{query}"
        socket = await websockets.connect(
            address, subprotocols=subprotocols, ssl=self.context, max_size=None, compression=None, local_addr=(source, 0)
        )
        client = Client(socket)
        await client.greet(**hello)
        return client


async def test_a_room_behind_tls():
    """WebSockets, requests, close codes and the client's address pass the proxy, and the metrics don't."""
    with Server("--proxies", "127.0.0.1", "--max-connections-per-address", 3) as server, Proxy(server) as proxy:
        page = await proxy.http("GET", "/r/demo")
        assert page.status == 200 and page.headers["Strict-Transport-Security"] and page.headers["Content-Security-Policy"]
        body = b'{"ops":[{"shape":"afy-kw5-t7o","set":{"kind":"star"}}]}'
        posted = await proxy.http("POST", "/v1/rooms/demo/ops", body, {"Content-Type": "application/json"})
        assert posted.status == 200 and posted.json["cursor"]
        layout = b'{"squares":[' + b",".join(b'{"x":1,"y":1,"colour":"#FF0000","size":9}' for _ in range(20_000)) + b"]}"
        assert len(layout) > 500_000
        assert (await proxy.http("POST", "/v1/rooms/large/layout", layout, {"Content-Type": "application/json"})).status == 200
        assert (await proxy.http("GET", "/metrics")).status == 403
        clients = [await proxy.join("demo") for _ in range(3)]
        for client in clients:
            assert (await client.receive())["type"] == "welcome"
            await client.state()
            assert "afy-kw5-t7o" in client.live
        shape = identifier()
        await clients[0].accepted({"shape": shape, "set": {"kind": "star"}})
        await clients[2].sees(shape)
        large = await proxy.join("large", source="127.0.0.3")
        assert (await large.receive())["type"] == "welcome"
        await large.state()
        assert len(large.live) == 20_000
        addresses = [line["address"] for line in server.log if line["message"] == "joined"]
        assert addresses == ["127.0.0.2"] * 3 + ["127.0.0.3"], addresses
        assert await (await proxy.join("demo")).closed() == 4429, "one more than an address may have"
        ends = [asyncio.create_task(client.closed()) for client in [*clients, large]]
        assert await asyncio.to_thread(server.terminate) == 0
        assert [await end for end in ends] == [1001] * 4
        assert (await proxy.http("GET", "/healthz")).status == 502


async def test_tokens_behind_tls():
    """The close codes pass through the proxy, and no log contains the token."""
    with Server.asking(f"{TOKEN} operator demo\n", "--proxies", "127.0.0.1") as server, Proxy(server) as proxy:
        assert await (await proxy.join("demo")).closed() == 4401
        assert await (await proxy.join("other", f"?token={TOKEN}")).closed() == 4403
        ann = await proxy.join("demo", f"?token={TOKEN}")
        assert (await ann.receive())["type"] == "welcome"
        answer = await proxy.http("GET", "/v1/rooms")
        assert answer.status == 401 and answer.headers["WWW-Authenticate"] == "Bearer"
        assert (await proxy.http("GET", "/v1/rooms", headers={"Authorization": f"Bearer {TOKEN}"})).status == 200
        await ann.close()
        server.kill()
        assert (await proxy.http("GET", f"/v1/rooms?token={TOKEN}")).status == 502
        logs = "".join(proxy.log(name) for name in ("canvas-sync.log", "canvas-sync-errors.log", "errors.log"))
        assert "/v1/rooms/demo/sync" in logs and TOKEN not in logs, logs
