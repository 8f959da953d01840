"""Handwritten frames: some that RFC 6455 allows, and some that it forbids."""

import asyncio
import json

from client import SECONDS
from server import identifier


class Raw:
    """A WebSocket of bytes."""

    @classmethod
    async def open(cls, server, room="frames"):
        raw = cls()
        raw.reader, raw.writer = await asyncio.open_connection("127.0.0.1", server.port)
        raw.writer.write(
            f"GET /v1/rooms/{room}/sync HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = await raw.reader.readuntil(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 101") and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
        return raw

    def send(self, opcode, payload, final=True, reserved=0):
        key = b"\x1f\x2e\x3d\x4c"
        length = len(payload)
        head = bytes([opcode | (0x80 if final else 0) | reserved])
        head += bytes([0x80 | length]) if length < 126 else bytes([0x80 | 126]) + length.to_bytes(2, "big")
        body = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))
        self.writer.write(head + key + body)

    async def frame(self):
        opcode, payload, _ = await self.fragment()
        return opcode, payload

    async def fragment(self):
        first, second = await asyncio.wait_for(self.reader.readexactly(2), SECONDS)
        assert not second & 0x80, "a server does not mask"
        length = second & 0x7F
        if length >= 126:
            length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), "big")
        return first & 15, await self.reader.readexactly(length), bool(first & 0x80)

    async def message(self, kind):
        while True:
            opcode, payload, final = await self.fragment()
            assert opcode != 8, payload
            while opcode == 1 and not final:
                _, more, final = await self.fragment()
                payload += more
            if opcode == 1 and json.loads(payload)["type"] == kind:
                return json.loads(payload)

    async def ended(self):
        """The close code, or None if the socket just ends."""
        try:
            while True:
                opcode, payload = await self.frame()
                if opcode == 8:
                    return int.from_bytes(payload[:2], "big")
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return None


async def test_a_message_in_fragments_of_one_byte_with_pings_between(shared):
    """It is one message, and each ping is answered."""
    raw = await Raw.open(shared)
    hello = b'{"type":"hello","name":"\xc3\x84nn"}'
    for index, byte in enumerate(hello):
        raw.send(1 if index == 0 else 0, bytes([byte]), final=index == len(hello) - 1)
        if index % 8 == 0:
            raw.send(9, b"%d" % index)
            assert await raw.frame() == (10, b"%d" % index)
    assert (await raw.message("welcome"))["room"] == "frames"


async def test_a_long_message_in_many_segments(shared):
    """Bytes that dribble in over many reads are one message."""
    raw = await Raw.open(shared, "segments")
    raw.send(1, b'{"type":"hello"}')
    await raw.message("ops")
    operations = [{"shape": identifier(), "set": {"kind": "star"}} for _ in range(100)]
    text = json.dumps({"type": "ops", "id": 1, "ops": operations}).encode()
    for start in range(0, len(text), 700):
        raw.send(1 if start == 0 else 0, text[start : start + 700], final=start + 700 >= len(text))
        await raw.writer.drain()
    assert (await raw.message("ack"))["id"] == 1


async def test_what_the_protocol_forbids_ends_the_connection(shared):
    """Reserved bits and opcodes, long or split control frames, fragments out of order."""
    forbidden = [
        lambda raw: raw.send(1, b"{}", reserved=0x40),
        lambda raw: raw.send(1, b"{}", reserved=0x20),
        lambda raw: raw.send(3, b""),
        lambda raw: raw.send(11, b""),
        lambda raw: raw.send(9, b"x" * 126),
        lambda raw: raw.send(9, b"x", final=False),
        lambda raw: raw.send(0, b"x"),
        lambda raw: (raw.send(1, b"{", final=False), raw.send(1, b"}")),
        lambda raw: raw.send(8, (999).to_bytes(2, "big")),
    ]
    for number, attempt in enumerate(forbidden):
        raw = await Raw.open(shared)
        attempt(raw)
        assert await raw.ended() in (None, 1002), number
        raw.writer.close()
    assert (await shared.get("/healthz")).status == 200


async def test_garbage_does_no_harm(shared):
    """Bytes without meaning, masked or not, of every first byte."""
    for first in range(0, 256, 5):
        raw = await Raw.open(shared)
        raw.writer.write(bytes([first]) + bytes((first * 7 + place * 31) % 256 for place in range(200)))
        raw.writer.close()
    assert (await shared.get("/healthz")).status == 200


async def test_a_goodbye_is_answered(shared):
    """With the same code."""
    raw = await Raw.open(shared)
    raw.send(1, b'{"type":"hello"}')
    await raw.message("ops")
    raw.send(8, (1000).to_bytes(2, "big") + b"bye")
    assert await raw.ended() == 1000
