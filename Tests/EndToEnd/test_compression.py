"""permessage-deflate, tested with an independent client."""

import asyncio
import zlib

import websockets

from client import Client
from raw import connect, drain, frame
from server import Server, identifier
from waiting import SECONDS

# A message id of 1,024 bytes is allowed, and the answer repeats it. This text fills most of such an id.
LONG = "words " * 160


async def enter(server, compression):
    """Joins with or without an offer of compression. Also returns the negotiated extensions."""
    socket = await websockets.connect(server.socket("packed"), compression=compression)
    client = Client(socket)
    await client.send({"type": "hello"})
    client.welcome = await client.receive()
    await client.state()
    return client, [extension.name for extension in socket.protocol.extensions]


async def bytes_to_say(client):
    """How many bytes a long message takes on the wire. The answer shows that the server has understood it."""
    transport, sent = client.socket.transport, []
    write = transport.write
    transport.write = lambda data: (sent.append(len(data)), write(data))
    await client.send({"type": "ping", "id": LONG})
    assert (await client.until("pong"))["id"] == LONG
    transport.write = write
    return sum(sent)


async def test_a_client_that_asks_may_compress_where_the_server_was_told_so():
    """A client that doesn't offer compression gets none. Clients with and without compression read each other's
    writes."""
    with Server("--compress") as server:
        packed, agreed = await enter(server, "deflate")
        assert agreed == ["permessage-deflate"]
        plain, agreed = await enter(server, None)
        assert agreed == []
        assert await bytes_to_say(packed) < 200
        assert await bytes_to_say(plain) > len(LONG)
        for writer, reader in [(packed, plain), (plain, packed)]:
            shape = identifier()
            answer = await writer.write({"shape": shape, "set": {"kind": "star", "name": "n" * 128}})
            assert answer["type"] == "ack", answer
            await reader.sees(shape)
            assert reader.live[shape]["name"][1] == "n" * 128
        for client in (packed, plain):
            await client.send({"type": "digest"})
            assert (await client.until("digest"))["hash"] == packed.digest == plain.digest


async def test_what_unpacks_to_more_than_a_message_may_have_is_1009():
    """A short message that decompresses to more than the limit closes the connection."""
    with Server("--compress", "--max-message-bytes", 16_384) as server:
        client, _ = await enter(server, "deflate")
        await client.send('{"type":"digest","x":"' + "y" * 1_000_000 + '"}')
        assert await client.closed() == 1009


async def test_nobody_compresses_where_the_server_was_not_told_so(shared):
    """By default the server doesn't compress, even if the client offers it."""
    client, agreed = await enter(shared, "deflate")
    assert agreed == []
    assert await bytes_to_say(client) > len(LONG)


def packed(text):
    """A text message as a compressed frame."""
    deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
    return frame(1, (deflate.compress(text) + deflate.flush(zlib.Z_SYNC_FLUSH))[:-4], reserved=0x40, key=b"\x1f\x2e\x3d\x4c")


async def test_much_that_one_read_inflates_to_does_not_stop_the_server():
    """libwebsockets fails an assertion when it is told to pause while it still has bytes to inflate. A few kilobytes
    that became megabytes did that."""
    with Server("--compress", "--max-bytes-per-second", 1 << 30) as server:
        for count, size in [(12, 200_000), (40, 60_000), (100, 20_000), (3, 900_000)]:
            reader, writer, _ = await connect(server.port, "packed", "Sec-WebSocket-Extensions: permessage-deflate")
            large = packed(b'{"a":"' + b" " * size + b'"}')
            writer.write(packed(b'{"type":"hello"}') + large * count)
            writer.write(frame(8, b"\x03\xe8"))
            await asyncio.wait_for(drain(reader), SECONDS)
            writer.close()
            assert (await server.get("/healthz")).status == 200
