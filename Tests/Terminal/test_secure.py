"""Servers behind TLS: nginx with the file of deploy/, and servers that must not be trusted."""

import asyncio
import contextlib
import json
import os
import ssl
import tempfile

from server import Server, identifier
from terminal import run, start
from test_tls import TOKEN, Proxy, certificate


def trusting(proxy):
    """The environment of a machine that trusts the proxy's certificate."""
    certificate = f"{proxy.folder}/certificate.pem"
    return {"CANVAS_SERVER": f"wss://localhost:{proxy.port}", "SSL_CERT_FILE": certificate, "SSL_CERT_DIR": proxy.folder}


async def test_every_kind_of_command_reaches_a_server_behind_tls():
    """Requests and WebSockets, small and large, short and long, with a token."""
    with Server.asking(f"{TOKEN} operator *\n", "--proxies", "127.0.0.1") as server, Proxy(server) as proxy:
        there = trusting(proxy) | {"CANVAS_TOKEN": TOKEN}
        await run(None, "add", "demo", "star", "name=Sun", variables=there)
        await run(None, "move", "demo", "Sun", 10, 20, variables=there)
        await run(None, "undo", "demo", variables=there)
        assert "Sun" in (await run(None, "show", "demo", variables=there)).out
        by_number = there | {"CANVAS_SERVER": f"wss://127.0.0.1:{proxy.port}"}
        assert "agrees" in (await run(None, "check", "demo", variables=by_number)).out
        assert "Sun" in (await run(None, "show", "demo", variables=by_number)).out
        squares = [{"x": 3 * number, "y": 1, "colour": "#FF0000", "size": 9} for number in range(5_000)]
        layout = json.dumps({"squares": squares})
        await run(None, "import", "large", "-", input=layout, variables=there)
        assert "agrees" in (await run(None, "check", "large", variables=there)).out
        assert len((await run(None, "show", "large", "--json", variables=there)).object["shapes"]) == 5_000
        lines = [{"shape": identifier(), "set": {"kind": "star"}} for _ in range(500)]
        piped = await run(None, "pipe", "demo", input="\n".join(map(json.dumps, lines)), variables=there)
        assert [line["type"] for line in piped.lines] == ["ack"] * 500
        summary = (await run(None, "bot", "demo", "--for", "1s", "--quiet", "--json", variables=there)).object
        assert summary["acknowledged"] == summary["operations"] > 0
        rooms = {line["room"]: line for line in (await run(None, "rooms", "--over", "10ms", "--json", variables=there)).lines}
        assert rooms["large"]["shapes"] == 5_000
        done = await run(None, "rooms", variables=trusting(proxy), code=2)
        assert "token" in done.err, done
        done = await run(None, "add", "demo", variables=trusting(proxy), code=2)
        assert "token" in done.err, done


async def test_a_watcher_behind_tls_comes_back():
    """The server stops while its proxy keeps running. When the server is back, the watcher reconnects."""
    with Server("--proxies", "127.0.0.1") as server, Proxy(server) as proxy:
        async with await start(None, "watch", "demo", "--json", variables=trusting(proxy)) as watcher:
            assert (await watcher.object())["event"] == "here"
            server.kill()
            await watcher.until(event="offline")
            server.start()
            await watcher.until(event="back")
            await run(server, "add", "demo", "name=Sun")
            await watcher.until(event="made", name="Sun")


@contextlib.asynccontextmanager
async def impostor(name):
    """A server with a TLS certificate for this name, which does nothing else."""
    with tempfile.TemporaryDirectory() as folder:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, name))
        async with await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=context) as listener:
            yield listener.sockets[0].getsockname()[1], {"SSL_CERT_FILE": f"{folder}/certificate.pem", "SSL_CERT_DIR": folder}


async def test_a_certificate_that_is_not_trusted_is_refused():
    """Unknown, or for another name. The exit code is 2 with the reason, and nothing is sent."""
    nobody = {"SSL_CERT_FILE": "/dev/null", "SSL_CERT_DIR": os.devnull}
    for name, changed, said in [("localhost", nobody, "self-signed certificate"), ("elsewhere.test", {}, "hostname mismatch")]:
        async with impostor(name) as (port, trusted):
            for command in ["show", "check", "pipe"]:
                address = ["--server", f"wss://localhost:{port}"]
                done = await run(None, command, "demo", *address, variables=trusted | changed, code=2)
                assert "not trusted" in done.err and said in done.err.lower() and done.out == "", done


async def test_a_token_goes_nowhere_but_where_it_is_meant_for():
    """The client follows no redirect to another server, which therefore gets nothing."""
    heard = []

    async def note(reader, writer):
        heard.append(await reader.read(4096))
        writer.close()

    async with await asyncio.start_server(note, "127.0.0.1", 0) as other:
        elsewhere = other.sockets[0].getsockname()[1]

        async def send_on(reader, writer):
            await reader.readuntil(b"\r\n\r\n")
            place = f"Location: http://127.0.0.1:{elsewhere}/v1/rooms/demo/sync".encode()
            writer.write(b"HTTP/1.1 302 Found\r\n" + place + b"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            writer.close()

        async with await asyncio.start_server(send_on, "127.0.0.1", 0) as first:
            address = f"ws://127.0.0.1:{first.sockets[0].getsockname()[1]}"
            for command, code in [("show", 1), ("check", 2), ("pipe", 2)]:
                done = await run(None, command, "demo", "--server", address, "--token", TOKEN, code=code)
                assert "302" in done.err and heard == [], (done, heard)


async def test_a_server_that_speaks_no_tls_is_told_from_one_that_is_not_there(shared):
    """The exit code is 2 for `wss` to a server without TLS, and for `ws` to a server that has only TLS."""
    for command in ["show", "check"]:
        done = await run(None, command, "demo", "--server", f"wss://127.0.0.1:{shared.port}", code=2)
        assert "TLS" in done.err, done
    async with impostor("localhost") as (port, _):
        for command in ["show", "check"]:
            done = await run(None, command, "demo", "--server", f"ws://localhost:{port}", code=2)
            assert str(port) in done.err, done


async def test_a_handshake_in_pieces_is_followed_by_the_request():
    """Whichever of the client's functions takes the last piece, the request is sent. The server sends no session tickets.
    It is told the name that the client wants, because a server may have a certificate for each of its names."""
    names = []
    with tempfile.TemporaryDirectory() as folder:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*certificate(folder, "localhost"))
        context.num_tickets = 0
        context.sni_callback = lambda tls, name, context: names.append(name)

        async def answer(reader, writer):
            arrived, leaving = ssl.MemoryBIO(), ssl.MemoryBIO()
            tls = context.wrap_bio(arrived, leaving, server_side=True)

            async def perform(act):
                while True:
                    try:
                        return act()
                    except ssl.SSLWantReadError:
                        await send()
                        piece = await reader.read(4096)
                        assert piece, "the client has ended the connection"
                        arrived.write(piece)

            async def send():
                while piece := leaving.read(32):
                    writer.write(piece)
                    await writer.drain()
            await perform(tls.do_handshake)
            await send()
            await perform(lambda: tls.read(4096))
            tls.write(b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"rooms":[]}')
            await send()
            writer.close()

        async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
            trusted = {"SSL_CERT_FILE": f"{folder}/certificate.pem", "SSL_CERT_DIR": folder}
            address = f"wss://localhost:{server.sockets[0].getsockname()[1]}"
            for _ in range(20):
                done = await run(None, "rooms", "--over", "1ms", "--json", "--server", address, variables=trusted)
                assert done.out == "", done
            assert set(names) == {"localhost"}
