"""RFC 6455 case by case, in the groups of the Autobahn test suite: what a server must accept, answer and refuse. The
cases are raw bytes on a socket.

If libwebsockets 4.1.6 is laxer than the RFC, the test asserts what it does, and docs/PROTOCOL.md tells authors of
clients (X2). `ENDED` means that the connection ends without a close frame.

The server has no echo. Instead, an accepted message is a ping of our protocol, whose answer repeats its id of any
length. A refused message shows as a close code.
"""

import asyncio
import itertools
import json
from functools import partial

from raw import Raw, apply, connect, frame, head
from server import identifier
from waiting import SECONDS

TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10
FINE, ENDED, PROTOCOL_ERROR, WRONG_TYPE, NOT_TEXT = "fine", "ended", 1002, 1003, 1007


masked = partial(frame, key=b"\x1f\x2e\x3d\x4c")


def ask(length, id="x"):
    """A ping message of this length, which the room answers."""
    frame = json.dumps({"type": "ping", "id": id}, separators=(",", ":")).encode()
    return frame[:-1] + b" " * (length - len(frame)) + b"}"


SHORT = ask(40)


async def joined(server):
    # The test has a room of its own, because in a shared one it would also receive messages about other clients.
    raw = await Raw.open(server, identifier())
    raw.send(TEXT, b'{"type":"hello"}')
    await raw.message("ops")
    return raw


async def outcome(raw):
    """`FINE` if the room answers, `ENDED` without a close frame, and otherwise the close code."""
    try:
        while True:
            opcode, payload = await raw.frame()
            if opcode == CLOSE:
                return int.from_bytes(payload[:2], "big") if payload else 1005
            if opcode == TEXT and json.loads(payload)["type"] == "pong":
                return FINE
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return ENDED


async def hold(server, cases):
    """Checks cases: a name, the bytes to send (a tuple's parts separately), the expected outcome."""
    wrong = []

    async def attempt(name, written, expected):
        raw = await joined(server)
        for part in written if isinstance(written, tuple) else (written,):
            raw.writer.write(part)
            await raw.writer.drain()
            # Yields to the event loop, so that each part probably gets its own TCP segment.
            await asyncio.sleep(0)
        found = await asyncio.wait_for(outcome(raw), SECONDS)
        raw.writer.close()
        if found != expected:
            wrong.append(f"{name}: {found}, not {expected}")

    for start in range(0, len(cases), 16):
        await asyncio.gather(*(attempt(*case) for case in cases[start : start + 16]))
    assert not wrong, wrong
    assert (await server.get("/healthz")).status == 200


async def test_1_framing_of_messages_of_all_lengths(shared):
    """Tests the smallest and largest length of each form, in whole frames and in pieces."""
    cases = []
    for length in (30, 31, 124, 125, 126, 127, 128, 4095, 4096, 4097, 16384, 65534, 65535, 65536, 65537, 131072):
        whole = masked(TEXT, ask(length))
        cases.append((f"{length}", whole, FINE))
        if length > 60000:
            pieces = tuple(whole[start : start + 997] for start in range(0, len(whole), 997))
            cases.append((f"{length} in pieces", pieces, FINE))
    cases.append(("byte by byte", tuple(bytes([byte]) for byte in masked(TEXT, ask(300))), FINE))
    cases.append(("a key of noughts", masked(TEXT, SHORT, key=bytes(4)), FINE))
    cases.append(("nothing at all", masked(TEXT), NOT_TEXT))
    cases.append(("binary where text was agreed on", masked(BINARY, SHORT), WRONG_TYPE))
    await hold(shared, cases)


async def test_1_lengths_in_more_bytes_than_they_need(shared):
    """X2: 5.2 wants the fewest bytes, which libwebsockets doesn't check. The top bit must be 0."""
    key = b"abcd"
    two, eight = bytes([0x81, 0xFE]), bytes([0x81, 0xFF])
    cases = [
        ("0 in two", two + (0).to_bytes(2, "big") + key, NOT_TEXT),
        ("0 in eight", eight + (0).to_bytes(8, "big") + key, NOT_TEXT),
        ("125 in two", two + (125).to_bytes(2, "big") + key + apply(key, ask(125)), FINE),
        ("126 in two", two + (126).to_bytes(2, "big") + key + apply(key, ask(126)), FINE),
        ("40 in eight", eight + (40).to_bytes(8, "big") + key + apply(key, SHORT), FINE),
        ("65535 in eight", eight + (65535).to_bytes(8, "big") + key + apply(key, ask(65535)), FINE),
        ("65536 in eight", eight + (65536).to_bytes(8, "big") + key + apply(key, ask(65536)), FINE),
        ("2^63", eight + (2**63).to_bytes(8, "big") + key, ENDED),
        # The message is too long. The server closes as soon as any part of it arrives.
        ("2^63 - 1", eight + (2**63 - 1).to_bytes(8, "big") + key + bytes(8192), 1009),
    ]
    await hold(shared, cases)


async def test_2_pings_and_pongs(shared):
    """Tests all lengths of control frames, pongs without a ping, and pings inside a message."""
    raw = await joined(shared)
    for length in (0, 1, 4, 124, 125):
        payload = bytes(range(length))
        raw.send(PING, payload)
        assert await raw.frame() == (PONG, payload), length
    raw.writer.write(b"".join(masked(PONG, b"unasked") + masked(PONG) for _ in range(50)))
    for byte in masked(PING, b"byte by byte"):
        raw.writer.write(bytes([byte]))
        await raw.writer.drain()
    assert await raw.frame() == (PONG, b"byte by byte")
    raw.writer.close()
    await hold(shared, [(f"{code} of {length}", masked(code, bytes(length)), ENDED) for code, length in [(PING, 126), (PONG, 126), (PING, 65536)]])


async def test_2_a_burst_of_pings(shared):
    """X2: by section 5.5.3, of several unanswered pings, an endpoint may answer only the newest. libwebsockets answers
    the oldest, and drops later pings that arrive before this answer is sent. So some pings are answered, in order and
    including the first. No ping is answered twice, and a single ping is always answered."""
    for count in (2, 10, 1000):
        raw = await joined(shared)
        raw.writer.write(b"".join(masked(PING, b"%d" % number) for number in range(count)))
        raw.writer.write(masked(TEXT, SHORT))
        answered = []
        while True:
            opcode, payload = await raw.frame()
            if opcode == PONG:
                answered.append(int(payload))
            elif opcode == TEXT and json.loads(payload)["type"] == "pong":
                break
        # The room might have answered before all pings were read. So the test sends one more ping and reads up to its
        # answer.
        raw.send(PING, b"-1")
        while not answered or answered[-1] != -1:
            opcode, payload = await raw.frame()
            assert opcode == PONG
            answered.append(int(payload))
            # The server possibly leaves the last ping unanswered, so the test sends another one.
            raw.send(PING, b"-1")
        pings = [number for number in answered if number >= 0]
        assert pings[0] == 0 and pings == sorted(set(pings)), answered
        raw.writer.close()


async def test_3_and_4_reserved_bits_and_opcodes(shared):
    """Without an extension all three bits must be 0, in every kind of frame. There is none, not even for a client that
    offers compression (X2). Tests opcodes 3 to 7 and 11 to 15, with and without a payload, in final and other
    frames."""
    _, writer, head = await connect(shared.port, identifier(), "Sec-WebSocket-Extensions: permessage-deflate")
    writer.close()
    assert head.startswith(b"HTTP/1.1 101") and b"extensions" not in head.lower()
    cases = [("in a continuation", masked(TEXT, b"{", False) + masked(0, b"}", reserved=0x40), PROTOCOL_ERROR)]
    for reserved, opcode in itertools.product(range(0x10, 0x80, 0x10), (TEXT, BINARY, CONTINUATION, CLOSE, PING, PONG)):
        cases.append((f"{reserved:#x} in {opcode}", masked(opcode, b"", reserved=reserved), PROTOCOL_ERROR))
    for opcode, (payload, final) in itertools.product((*range(3, 8), *range(11, 16)), ((b"", True), (b"payload", True), (b"", False))):
        cases.append((f"{opcode}, {payload}, {final}", masked(opcode, payload, final), PROTOCOL_ERROR))
    await hold(shared, cases)


async def test_5_fragmentation(shared):
    """Tests fragmented messages, control frames between the fragments, and all invalid orders."""
    start, middle, end = SHORT[:10], SHORT[10:20], SHORT[20:]
    parts = masked(TEXT, start, False) + masked(0, middle, False) + masked(0, end)
    cases = [
        ("three parts", parts, FINE),
        ("three parts, byte by byte", tuple(bytes([byte]) for byte in parts), FINE),
        ("empty parts", masked(TEXT, b"", False) + masked(0, b"", False) * 20 + masked(0, SHORT), FINE),
        ("an empty end", masked(TEXT, SHORT, False) + masked(0), FINE),
        ("an empty beginning", masked(TEXT, b"", False) + masked(0, SHORT), FINE),
        ("controls between", masked(TEXT, start, False) + masked(PING, b"a") + masked(0, middle, False) + masked(PONG) + masked(0, end), FINE),
        ("a part of every byte", b"".join(fragments(SHORT, 1)), FINE),
        ("many parts of a long one", b"".join(fragments(ask(65536), 1000)), FINE),
        ("a ping in parts", masked(PING, b"a", False) + masked(0, b"b"), PROTOCOL_ERROR),
        ("a pong in parts", masked(PONG, b"a", False) + masked(0, b"b"), PROTOCOL_ERROR),
        ("a close in parts", masked(CLOSE, b"", False), PROTOCOL_ERROR),
        ("a continuation of nothing", masked(0, SHORT), PROTOCOL_ERROR),
        ("a continuation of nothing, to be continued", masked(0, SHORT, False), PROTOCOL_ERROR),
        ("a text in a text", masked(TEXT, start, False) + masked(TEXT, SHORT), PROTOCOL_ERROR),
        ("a binary in a text", masked(TEXT, start, False) + masked(BINARY, SHORT), PROTOCOL_ERROR),
        ("a text in a text, unfinished", masked(TEXT, start, False) + masked(TEXT, start, False), PROTOCOL_ERROR),
    ]
    await hold(shared, cases)
    # The server might answer the message that has ended.
    raw = await joined(shared)
    raw.writer.write(parts + masked(0, b"x"))
    assert await raw.ended() in (None, PROTOCOL_ERROR)


def fragments(payload, size):
    return [
        masked(TEXT if start == 0 else 0, payload[start : start + size], start + size >= len(payload))
        for start in range(0, len(payload), size)
    ]


GOOD_TEXTS = ["κόσμε", "𐍈", "\x7f\u0080\u07ff\u0800\ud7ff\ue000\ufffd\U00010000\U0010ffff", "\ufffe\uffff\U0001fffe", "e\u0301"]
BAD_TEXTS = [
    b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited", b"\x80", b"\xbf", b"\x80" * 64, b"\xc0\xaf",
    b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf8\x80\x80\x80\xaf", b"\xc1\xbf", b"\xe0\x9f\xbf", b"\xf0\x8f\xbf\xbf",
    b"\xed\xa0\x80", b"\xed\xbf\xbf", b"\xed\xa0\x80\xed\xb0\x80", b"\xf4\x90\x80\x80", b"\xf5", b"\xfe", b"\xff",
    b"\xc3x", b"\xe2\x82x", b"\xf0\x9d\x84x",
]


async def test_6_text_is_utf8(shared):
    """Sends texts whole, cut between any two bytes, and truncated. Invalid UTF-8 is refused with 1007."""
    cases = []
    for text in GOOD_TEXTS:
        payload = json.dumps({"type": "ping", "id": text}, ensure_ascii=False).encode()
        cases.append((text, masked(TEXT, payload), FINE))
        cases.append((f"{text} in parts", b"".join(fragments(payload, 1)), FINE))
    for text in BAD_TEXTS:
        payload = b'{"type":"ping","id":"' + text + b'"}'
        cases.append((f"{text}", masked(TEXT, payload), NOT_TEXT))
        cases.append((f"{text} in parts", b"".join(fragments(payload, 1)), NOT_TEXT))
    for cut in (b"\xce", b"\xe1\xbd", b"\xf0\x9d\x84"):
        cases.append((f"{cut} at the end", masked(TEXT, b"{}" + cut), NOT_TEXT))
        cases.append((f"{cut} at the end of parts", masked(TEXT, cut[:1], False) + masked(0, cut[1:]), NOT_TEXT))
    await hold(shared, cases)


async def test_7_closing(shared):
    """Allowed close codes are echoed, and all others are refused. After a close nothing is answered."""
    allowed = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999]
    forbidden = [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999]
    code = lambda number: number.to_bytes(2, "big")
    cases = [(f"{number}", masked(CLOSE, code(number)), number) for number in allowed]
    cases += [(f"{number} and why", masked(CLOSE, code(number) + b"why"), number) for number in allowed]
    cases += [(f"{number}", masked(CLOSE, code(number)), PROTOCOL_ERROR) for number in forbidden]
    # libwebsockets wrongly accepts the following closes and echoes their codes. By the RFC it should answer with 1002,
    # or with 1007 if the reason is not valid text.
    cases += [(f"{number}", masked(CLOSE, code(number)), number) for number in (5000, 65535)]
    cases += [
        ("no code", masked(CLOSE), 1005),
        ("half a code", masked(CLOSE, b"\x03"), 3),
        ("the longest reason", masked(CLOSE, code(1000) + b"x" * 123), 1000),
        ("a reason too long", masked(CLOSE, code(1000) + b"x" * 124), ENDED),
        ("a reason that is no text", masked(CLOSE, code(1000) + b"\xce\xba\xe1\xed\xa0\x80"), 1000),
        ("half a character", masked(CLOSE, code(1000) + b"\xce"), 1000),
        ("in the midst of a message", masked(TEXT, b"{", False) + masked(CLOSE, code(1000)), 1000),
        ("a message after it", masked(CLOSE, code(1000)) + masked(TEXT, SHORT), 1000),
        ("a ping after it", masked(CLOSE, code(1000)) + masked(PING, b"x"), 1000),
        ("another after it", masked(CLOSE, code(1000)) + masked(CLOSE, code(1001)), 1000),
    ]
    await hold(shared, cases)


async def test_7_who_closes_has_the_socket_closed(shared):
    """The server ends the connection once both sides have sent a close frame, whichever side was first (7.1.1)."""
    raw = await joined(shared)
    raw.send(CLOSE, (1000).to_bytes(2, "big"))
    assert await raw.frame() == (CLOSE, (1000).to_bytes(2, "big"))
    assert await asyncio.wait_for(raw.reader.read(), SECONDS) == b""
    raw = await joined(shared)
    raw.send(TEXT, b'{"type":"hello"}')
    assert await raw.ended() == 4400
    raw.send(CLOSE, (4400).to_bytes(2, "big"))
    assert await asyncio.wait_for(raw.reader.read(), SECONDS) == b""


async def test_8_frames_that_are_not_masked(shared):
    """X2: by 5.1 a server must close on an unmasked frame. libwebsockets accepts it, even among masked ones."""
    bare = lambda opcode, payload: head(opcode, len(payload), mask=0) + payload
    empty_in_two = bytes([0x81, 126, 0, 0])
    cases = [
        ("a text", bare(TEXT, SHORT), FINE),
        ("an empty text", bare(TEXT, b""), NOT_TEXT),
        ("an empty text whose length takes two bytes too many", empty_in_two + masked(TEXT, SHORT), FINE),
        ("a long text", bare(TEXT, ask(200)), FINE),
        ("a very long text", bare(TEXT, ask(70000)), FINE),
        ("a ping", bare(PING, b"x") + masked(TEXT, SHORT), FINE),
        ("a pong", bare(PONG, b"") + masked(TEXT, SHORT), FINE),
        ("a close", bare(CLOSE, (1000).to_bytes(2, "big")), 1000),
        ("a continuation", (masked(TEXT, SHORT[:9], False), bare(CONTINUATION, SHORT[9:])), FINE),
        ("after others", masked(PONG) * 100 + bare(TEXT, SHORT), FINE),
        ("byte by byte", tuple(bytes([byte]) for byte in masked(PONG, b"fine") + bare(TEXT, SHORT)), FINE),
        ("one more than a message may have", bare(TEXT, ask((1 << 20) + 1)), 1009),
        ("no UTF-8", bare(TEXT, b"\xff"), NOT_TEXT),
        ("a reserved bit", head(TEXT, 1, reserved=0x40, mask=0) + b"x", PROTOCOL_ERROR),
    ]
    await hold(shared, cases)
    raw = await joined(shared)
    raw.writer.write(bare(PING, b"bare"))
    assert await raw.frame() == (PONG, b"bare")
    raw.writer.close()


async def test_10_what_is_no_frame_at_all(shared):
    """Random bytes with every first byte, with and without a mask. The server survives, and closes."""
    for second in (0x00, 0x85, 0xFE, 0xFF):
        for first in range(0, 256, 3):
            raw = await Raw.open(shared)
            raw.writer.write(bytes([first, second]) + bytes((first * 7 + place * 31) % 256 for place in range(200)))
            raw.writer.close()
    assert (await shared.get("/healthz")).status == 200
