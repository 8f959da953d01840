"""Limits of addresses, connections, names and answers, and which proxies the server trusts about the client's address."""

import asyncio
import contextlib
import json
import resource
import subprocess

import websockets

import raw
from client import Client, connect
from server import Server, identifier
from waiting import SECONDS, eventually


async def idle(server):
    """Opens a connection that sends nothing."""
    return await asyncio.open_connection("127.0.0.1", server.port)


async def told(server):
    """Requests /healthz on a new connection. Returns the answer's head, empty if the server closes."""
    reader, writer = await idle(server)
    with contextlib.suppress(ConnectionError):
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        await writer.drain()
    answer = await asyncio.wait_for(reader.read(), SECONDS)
    writer.close()
    return answer.decode()


def status(code):
    return lambda answer: answer.startswith(f"HTTP/1.1 {code} ")


async def test_http_connections_are_bounded_by_address():
    """H6: One more gets 429 and `Retry-After`. Closed ones and WebSockets don't count."""
    with Server("--max-http-connections-per-address", 3) as server:
        held = [await idle(server) for _ in range(3)]
        answer = await eventually(lambda: told(server), "three are accepted", holds=status(429))
        assert "\r\nRetry-After: 1\r\n" in answer and '"code":"too_many"' in answer, answer
        held.pop()[1].close()
        await eventually(lambda: told(server), "a place that is free again", holds=status(200))

        async def joined():
            with contextlib.suppress(websockets.InvalidStatus):
                return await Client.join(server, "room")

        members = [await eventually(joined, "the place is free again") for _ in range(5)]
        await eventually(lambda: told(server), "WebSockets don't count", holds=status(200))
        assert all(member.welcome for member in members)
        assert any(line.get("code") == "http_429" and line["address"] == "127.0.0.1" for line in server.log)
        for _, writer in held:
            writer.close()
        await eventually(lambda: told(server), "all are closed", holds=status(200))
        assert await server.metric('canvas_http_requests_total{status="429"}') >= 1


async def said(server, head):
    """Sends the head of a request, and returns the status of the response."""
    reader, writer = await idle(server)
    with contextlib.suppress(ConnectionError):
        writer.write(head.encode())
        await writer.drain()
    answer = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)
    writer.close()
    return int(answer.split()[1])


async def test_what_is_refused_before_it_is_understood_is_counted_and_logged():
    """Tests malformed requests, bodies that are too large, and refused upgrades."""
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    with Server() as server:
        for line, headers, status in [
            ("nonsense", "", 400), ("GET / HTTP/1.1", "Host: other\r\n", 400), ("GET / HTTP/3.0", "", 505),
            ("POST /v1/rooms/x/ops HTTP/1.1", "Content-Length: 999999999999\r\n", 413), ("POST / HTTP/1.1", "Expect: miracles\r\n", 417),
            ("POST / HTTP/1.1", "Transfer-Encoding: gzip\r\n", 501), ("GET / HTTP/1.1", "X: y\r\n" * 101, 431),
            ("GET /v1/rooms/x/sync HTTP/1.1", upgrade + "Sec-WebSocket-Version: 8\r\n", 426),
            ("GET /elsewhere HTTP/1.1", upgrade + "Sec-WebSocket-Version: 13\r\n", 404),
        ]:
            name = f'canvas_http_requests_total{{status="{status}"}}'

            async def counted():
                return (await server.metrics()).get(name, 0)

            before = await counted()
            assert await said(server, f"{line}\r\nHost: localhost\r\n{headers}\r\n") == status, line
            await eventually(counted, name, holds=lambda found: found == before + 1)
            if status == 404:
                continue
            assert await server.metric(f'canvas_refusals_total{{code="http_{status}"}}') == before + 1
            await eventually(
                lambda: [line for line in server.log if line.get("code") == f"http_{status}" and line["address"] == "127.0.0.1" and line["reason"]],
                f"{status} is in the log")


async def test_a_long_body_is_read_only_for_who_may_write():
    """Nobody else can fill the memory with layouts. They are answered before they have sent any of the body."""
    tokens = "eeeeeeeeeeeeeeee editor board\ndddddddddddddddd viewer board\n"
    with Server.asking(tokens, "--max-message-bytes", 16_384) as server:
        for token, path, status in [
            ("", "board/layout", 401), ("eeeeeeeeeeeeeeee", "other/layout", 403), ("dddddddddddddddd", "board/layout", 403),
            ("eeeeeeeeeeeeeeee", "board/ops", 413), ("eeeeeeeeeeeeeeee", "board", 413),
        ]:
            for length in ("Content-Length: 16385", "Transfer-Encoding: chunked"):
                if status == 413 and length.startswith("T"):
                    continue
                head = f"POST /v1/rooms/{path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {token}\r\n{length}\r\n\r\n"
                assert await said(server, head) == status, (token, path, length)
        long = " " * 20_000 + '{"shapes":[]}'
        answer = await server.http("POST", "/v1/rooms/board/layout?token=eeeeeeeeeeeeeeee", long.encode(), {"Content-Type": "application/json"})
        assert answer.status == 200, answer.body


async def test_a_proxys_connections_are_counted_by_whom_they_are_for():
    """Idle ones count for no address, and a request for the client's own."""
    with Server("--proxies", "127.0.0.1", "--max-http-connections-per-address", 1, "--max-connections-per-address", 1) as server:
        held = [await idle(server) for _ in range(5)]
        body = {"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}

        def posts(address, count):
            headers = {"X-Forwarded-For": address}
            return [server.http("POST", "/v1/rooms/room/ops", body, headers) for _ in range(count)]

        answers = await asyncio.gather(*posts("203.0.113.1", 30), *posts("203.0.113.2", 1))
        codes = [answer.status for answer in answers[:30]]
        assert answers[30].status == 200 and set(codes) == {200, 429}, codes
        refused = answers[codes.index(429)]
        assert refused.headers["Retry-After"] == "1" and refused.error == "too_many"
        assert (await posts("203.0.113.1", 1)[0]).status == 200, "what was answered counts no more"
        ann = {"additional_headers": {"X-Forwarded-For": "203.0.113.1"}}
        bob = {"additional_headers": {"X-Forwarded-For": "203.0.113.2"}}
        await Client.join(server, "room", options=ann)
        await Client.join(server, "room", options=bob)
        assert await (await connect(server, "room", **ann)).closed() == 4429
        for _, writer in held:
            writer.close()


async def test_bodies_that_mean_nothing_are_charged():
    """H8: By their length, before they are parsed. That also pays for the operations in them."""
    with Server("--max-ops-per-second", 1) as server:
        nonsense = b'{"ops":[' + b"1," * 500_000
        headers = {"Content-Type": "application/json"}
        for what, address in [("ops", "/v1/rooms/paid/ops"), ("layout", "/v1/rooms/paid/layout")]:
            answer = await server.http("POST", address, nonsense, headers)
            assert answer.status == (400 if what == "ops" else 429), (what, answer.body)
        assert (await server.http("POST", "/v1/rooms/paid/ops", nonsense, headers)).status == 429
    with Server("--max-ops-per-second", 1) as server:
        shapes = [identifier() for _ in range(1_000)]
        body = json.dumps({"ops": [{"shape": shape, "set": {"kind": "star"}} for shape in shapes]}).encode() + b" " * 900_000
        assert (await server.http("POST", "/v1/rooms/paid/ops", body, headers)).status == 200, "paid once, not twice"


async def half_sent(server, address="127.0.0.1", origin=None):
    """Opens a connection, and sends a request without its body."""
    reader, writer = await asyncio.open_connection("127.0.0.1", server.port, local_addr=(address, 0))
    way = f"X-Forwarded-For: {origin}\r\n" if origin else ""
    head = f"POST /v1/rooms/halves/ops HTTP/1.1\r\nHost: localhost\r\n{way}Content-Length: 64\r\n\r\n"
    writer.write(head.encode())
    await writer.drain()
    return reader, writer


async def test_a_limit_on_files_is_said_at_start_and_kept():
    """It limits connections. Further ones are refused, and no open one fails for want of files."""
    with Server(files_max=1_024) as server:
        (line,) = await server.logged("the limit on open files allows fewer connections than the flags do")
        assert line["level"] == "warning" and line["connections"] == 896 and line["flags"] > 896
        assert await server.metric("process_max_fds") == 1_024


async def test_where_files_are_few_web_sockets_leave_some_to_http():
    """They get the share that the limits give them. Otherwise nobody could see how the server is, or get the page."""
    with Server("--hello-ms", 600_000, files_max=160) as server:
        (line,) = await server.logged("the limit on open files allows fewer connections than the flags do")
        places = line["websockets"]
        assert places == line["connections"] * 20_000 // 25_000
        people = [await raw.connect(server.port, "garden") for _ in range(places)]
        last = await connect(server, "garden")
        assert (await last.receive())["code"] == "too_many" and await last.closed() == 4429
        for path in ("/healthz", "/readyz", "/"):
            assert (await server.get(path)).status == 200
        for _, writer, _ in people:
            writer.close()


def test_a_server_that_gets_no_thread_says_so_and_ends():
    """The limit on stacks is also the size of each thread's stack. No address space has room for this one."""
    def prepare():
        resource.setrlimit(resource.RLIMIT_STACK, (1 << 46, resource.RLIM_INFINITY))

    done = subprocess.run(
        Server(data="memory").command(), preexec_fn=prepare, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert done.returncode == 1 and "can't start the event loop" in done.stderr, done


async def test_where_files_run_out_the_greedy_make_way():
    """H13: The address with the most unfinished connections loses some at once, without a flag."""
    with Server() as server:
        client = await Client.join(server, "kept")
        open_files = int(await server.metric("process_open_fds"))
        _, hard = resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(server.process.pid, resource.RLIMIT_NOFILE, (open_files + 20, hard))
        assert await server.metric("process_max_fds") == open_files + 20 < hard
        held = [await half_sent(server, "127.0.1.1") for _ in range(60)]
        for _ in range(5):
            assert (await server.get("/healthz")).status == 200
        await client.draw()
        assert await server.metric('canvas_http_requests_total{status="408"}') > 0
        for _, writer in held:
            writer.close()


async def test_clients_behind_a_proxy_make_way_each_for_itself():
    """H13: Who has the most unfinished requests is evicted, and not who came first."""
    with Server("--proxies", "127.0.0.1", "--max-http-connections", 20) as server:
        reader, writer = await half_sent(server, origin="203.0.113.1")
        held = [await half_sent(server, origin="203.0.113.2") for _ in range(19)]

        async def served():
            with contextlib.suppress(OSError):
                return (await server.get("/healthz", {"X-Forwarded-For": "203.0.113.9"})).status == 200

        # The proxy's connections count for nobody until the server has read the client's address from a request's head.
        for _ in range(5):
            await eventually(served, "somebody makes way")
        body = json.dumps({"ops": [{"shape": identifier(), "set": {"kind": "star"}}]}, separators=(",", ":")).encode()
        writer.write(body + b" " * (64 - len(body)))
        assert (await asyncio.wait_for(reader.readline(), SECONDS)).split()[1] == b"200"
        for _, other in [*held, (reader, writer)]:
            other.close()


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
        assert "longer" in bob.live[shape]["name"][1]


async def test_too_many_overlaps_pass():
    """The pairs of a large heap aren't sent. Pulled apart, those that remain are, in notices and answers."""
    with Server("--max-overlaps", 10) as server:
        heap = [identifier() for _ in range(8)]
        watcher = await Client.join(server, "heap", overlaps=True)

        async def place(shapes, step):
            placed = [{"shape": shape, "set": {"kind": "rectangle", "position": [step * at, 0], "size": [10, 10]}} for at, shape in enumerate(shapes, 1)]
            assert (await server.http("POST", "/v1/rooms/heap/ops", {"ops": placed})).status == 200

        await place(heap, 0)
        answer = await server.get("/v1/rooms/heap/overlaps")
        assert answer.status == 503 and answer.error == "too_many_overlaps", answer.body
        await place(heap[2:], 100)
        left = [sorted(heap[:2])]
        await eventually(lambda: watcher.until("overlaps"), "the one pair that is left", holds=lambda notice: notice["began"] == left)
        answer = await server.answers("/v1/rooms/heap/overlaps")
        assert answer.json["overlaps"] == left
