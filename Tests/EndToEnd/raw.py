"""HTTP requests and WebSocket frames as raw bytes, including invalid ones that no library would send."""

import asyncio
import json

from waiting import SECONDS

UPGRADE = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13")


def request(target, *headers, method="GET", body=b""):
    lines = [f"{method} {target} HTTP/1.1", "Host: localhost", *headers]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def upgrade(room, *headers, token=None):
    return request(f"/v1/rooms/{room}/sync" + (f"?token={token}" if token else ""), *UPGRADE, *headers)


def head(opcode, length, final=True, reserved=0, mask=0x80):
    first = bytes([opcode | (0x80 if final else 0) | reserved])
    if length < 126:
        return first + bytes([mask | length])
    if length < 65536:
        return first + bytes([mask | 126]) + length.to_bytes(2, "big")
    return first + bytes([mask | 127]) + length.to_bytes(8, "big")


def apply(key, payload):
    return bytes(byte ^ key[index % 4] for index, byte in enumerate(payload)) if any(key) else payload


def frame(opcode, payload=b"", final=True, reserved=0, key=bytes(4)):
    """A WebSocket frame as a client sends it."""
    return head(opcode, len(payload), final, reserved) + key + apply(key, payload)


def said(**message):
    """A text message of the protocol."""
    return frame(1, json.dumps(message, separators=(",", ":")).encode())


async def connect(port, room, *headers, host="127.0.0.1", address=None, token=None, **options):
    """Opens a WebSocket for raw bytes, from `address`. Returns both ends of the stream, and the answer's head."""
    reader, writer = await asyncio.open_connection(host, port, local_addr=(address, 0) if address else None, **options)
    writer.write(upgrade(room, *headers, token=token))
    return reader, writer, await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), SECONDS)


async def drain(reader):
    """Reads and discards everything until the server closes."""
    while await reader.read(1 << 20):
        pass


class Raw:
    """A WebSocket that sends raw bytes."""

    @classmethod
    async def open(cls, server, room="frames"):
        raw = cls()
        raw.reader, raw.writer, head = await connect(server.port, room)
        assert head.startswith(b"HTTP/1.1 101") and b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" in head
        return raw

    def send(self, opcode, payload, final=True, reserved=0):
        self.writer.write(frame(opcode, payload, final, reserved, b"\x1f\x2e\x3d\x4c"))

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
        """The close code, or None if the connection ends without a close frame."""
        try:
            while True:
                opcode, payload = await self.frame()
                if opcode == 8:
                    return int.from_bytes(payload[:2], "big")
        except (asyncio.IncompleteReadError, ConnectionResetError):
            return None
