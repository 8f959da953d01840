"""WebSockets as bytes: frames written by hand, also such as no library writes."""

import asyncio
import json

from waiting import SECONDS


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

    async def outcome(self):
        """The type of the next message that is an answer, or the close code."""
        while True:
            opcode, payload, final = await self.fragment()
            if opcode == 8:
                return int.from_bytes(payload[:2], "big")
            while not final:
                _, more, final = await self.fragment()
                payload += more
            if opcode == 1 and (kind := json.loads(payload)["type"]) not in ("ops", "join", "leave", "error"):
                return kind

    async def ended(self):
        """The close code, or None if the socket just ends."""
        try:
            while True:
                opcode, payload = await self.frame()
                if opcode == 8:
                    return int.from_bytes(payload[:2], "big")
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return None
