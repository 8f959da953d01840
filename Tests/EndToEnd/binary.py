"""The binary encoding of client and server messages, written from docs/PROTOCOL.md alone.

Messages are dictionaries, as in JSON. If the protocol allows only one form, any other form raises an error.
"""

import json
import struct
from fractions import Fraction

from load import spelled

PROPERTIES = [
    "position", "size", "rotation", "fill", "alpha", "visible", "deleted", "kind", "name", "z", "stroke", "strokeWidth",
    "cornerRadius", "points", "innerRatio", "text", "textSize", "textAlign", "textPlace", "dash", "filled", "locked", "group",
    "path", "from", "to", "fromEnd", "toEnd", "route",
]
KINDS = ["rectangle", "roundedRectangle", "ellipse", "polygon", "star", "text", "line", "ink"]
ENDS = ["plain", "arrow", "dot"]
CHOICES = {"textAlign": ["left", "center", "right"], "textPlace": ["top", "middle", "bottom"], "dash": ["solid", "dashed", "dotted"], "fromEnd": ENDS, "toEnd": ENDS, "route": ["straight", "curved", "elbow"]}
FLAGS = ["visible", "filled", "locked"]
NO_IDENTIFIER = 2**48 - 1
LIMITS = ["messageBytes", "opsPerMessage", "opsPerSecond", "shapes", "clockAheadMs", "presenceBytes", "horizonMs"]
CODES = [
    "bad_message", "bad_shape", "bad_stamp", "bad_property", "bad_value", "clock_ahead", "too_old", "read_only", "room_full",
    "too_many_ops", "rate_limited", "unavailable", "quota_exceeded", "storage_low",
]
SCALES = [1, 100, 10000]


class Raw(str):
    """JSON text that is sent unchanged."""


def compact(value):
    return value if isinstance(value, Raw) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def parts(stamp):
    milliseconds, counter, actor = stamp.split(".")
    return int(milliseconds), int(counter), actor


# Writing client messages.


class Writer:
    def __init__(self):
        self.bytes = bytearray()

    def byte(self, value):
        self.bytes.append(value)

    def varint(self, value):
        while value >= 128:
            self.byte(value & 127 | 128)
            value >>= 7
        self.byte(value)

    def signed(self, value):
        self.varint(value * 2 if value >= 0 else -value * 2 - 1)

    def text(self, value):
        content = value.encode()
        self.varint(len(content))
        self.bytes += content

    def identifier(self, value):
        self.bytes += int(value.replace("-", ""), 36).to_bytes(6, "big")

    def color(self, value):
        self.bytes += bytes.fromhex(value[1:])

    def id(self, value):
        """Writes the message's id, which is JSON text, or a byte that says that there is none."""
        if value is None:
            return self.byte(0)
        text = compact(value)
        if text.isascii() and text.isdigit() and str(int(text)) == text and int(text) < 10**15:
            self.byte(1)
            self.varint(int(text))
        else:
            self.byte(2)
            self.text(text)

    def number(self, value):
        for form, scale in enumerate(SCALES):
            integer = round(Fraction(value) * scale)
            if abs(integer) <= 2**53 and integer / scale == value:
                zigzag = integer * 2 if integer >= 0 else -integer * 2 - 1
                return self.varint(zigzag << 2 | form)
        self.byte(3)
        self.bytes += struct.pack("<d", value)

    def value(self, name, value):
        if name in ("position", "size"):
            for number in value:
                self.number(number)
        elif name in ("fill", "stroke"):
            self.color(value)
        elif name in ("alpha", "points", *FLAGS):
            self.byte(int(value))
        elif name == "group":
            self.identifier(value) if value else self.bytes.extend(NO_IDENTIFIER.to_bytes(6, "big"))
        elif name == "path":
            self.path(value)
        elif name in ("from", "to"):
            self.identifier(value[0]) if value else self.bytes.extend(NO_IDENTIFIER.to_bytes(6, "big"))
            for number in value[1:]:
                self.varint(number)
        elif name == "kind":
            self.byte(KINDS.index(value))
        elif name in CHOICES:
            self.byte(CHOICES[name].index(value))
        elif name in ("name", "z", "text"):
            self.text(value)
        elif name != "deleted":
            self.number(value)

    def path(self, points):
        inner, before = Writer(), (0, 0)
        widths = [point[2] if len(point) == 3 else 100 for point in points]
        has_widths = any(width != 100 for width in widths)
        if points:
            inner.byte(int(has_widths))
        for point, width in zip(points, widths):
            inner.signed(point[0] - before[0])
            inner.signed(point[1] - before[1])
            if has_widths:
                inner.byte(width)
            before = point
        self.varint(len(inner.bytes))
        self.bytes += inner.bytes

    def operations(self, operations):
        actors = list(dict.fromkeys(parts(operation["at"])[2] for operation in operations if "at" in operation))
        self.varint(len(actors))
        for actor in actors:
            self.identifier(actor)
        self.varint(len(operations))
        shape, before = None, None
        for operation in operations:
            head = 0 if operation["shape"] == shape else 1
            at = operation.get("at")
            if at is None or at == before:
                self.byte(head | (2 if at is None else 4))
                place = 0
            else:
                milliseconds, counter, actor = parts(at)
                place = actors.index(actor)
                self.byte(head | (8 if counter else 0) | min(place, 15) << 4)
            if head:
                self.identifier(operation["shape"])
                shape = operation["shape"]
            if at is not None and at != before:
                if place >= 15:
                    self.varint(place - 15)
                self.signed(milliseconds - (parts(before)[0] if before else 0))
                if counter:
                    self.varint(counter)
                before = at
            names = [name for name in PROPERTIES if name in operation["set"]]
            self.varint(sum(1 << PROPERTIES.index(name) for name in names))
            for name in names:
                self.value(name, operation["set"][name])


def encode(message):
    """Encodes a message of a client."""
    writer = Writer()
    kind = message["type"]
    writer.byte(["hello", "ops", "presence", "ping", "digest", "token"].index(kind) + 1)
    if kind == "hello":
        fields = [("name", writer.text), ("color", writer.color), ("actor", writer.identifier), ("since", writer.text)]
        flags = sum(1 << bit for bit, (name, _) in enumerate(fields) if name in message)
        flags |= (16 if message.get("overlaps") else 0) | (32 if message.get("readonly") else 0)
        flags |= (64 if "key" in message else 0) | (128 if message.get("crowd") else 0)
        writer.byte(flags)
        for name, write in [*fields, ("key", writer.text)]:
            if name in message:
                write(message[name])
        if message.get("vocabulary", 1) > 1:
            writer.byte(message["vocabulary"])
    elif kind in ("ops", "ping"):
        writer.id(message.get("id"))
        if kind == "ops":
            writer.operations(message["ops"])
    elif kind == "presence":
        writer.text(compact(message["state"]))
    elif kind == "token":
        writer.text(message["token"])
    return bytes(writer.bytes)


# Reading server messages.


class Reader:
    def __init__(self, content):
        self.content, self.place = content, 0

    def take(self, count):
        assert self.place + count <= len(self.content), "cut short"
        self.place += count
        return self.content[self.place - count : self.place]

    def byte(self):
        return self.take(1)[0]

    def flag(self):
        value = self.byte()
        assert value in (0, 1), value
        return value == 1

    def varint(self):
        value, shift = 0, 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            if byte < 128:
                assert (byte or not shift) and value < 2**64, "not the shortest form"
                return value
            shift += 7

    def signed(self):
        value = self.varint()
        return -(value + 1 >> 1) if value & 1 else value >> 1

    def text(self):
        return self.take(self.varint()).decode()

    def identifier(self):
        return identifier(int.from_bytes(self.take(6), "big"))

    def identifier_or_none(self):
        number = int.from_bytes(self.take(6), "big")
        return "" if number == NO_IDENTIFIER else identifier(number)

    def color(self):
        return "#" + self.take(3).hex().upper()

    def stamp(self):
        time = int.from_bytes(self.take(8), "big")
        return f"{time >> 16}.{time & 0xFFFF}.{self.identifier()}"

    def id(self):
        form = self.byte()
        assert form <= 2
        return [lambda: None, self.varint, lambda: json.loads(self.text())][form]()

    def double(self):
        (value,) = struct.unpack("<d", self.take(8))
        return value

    def number(self):
        value = self.varint()
        form, rest = value & 3, value >> 2
        if form == 3:
            assert rest == 0
            return self.double()
        integer = -(rest + 1 >> 1) if rest & 1 else rest >> 1
        return integer if form == 0 else integer / SCALES[form]

    def value(self, name):
        if name in ("position", "size"):
            return [self.number(), self.number()]
        if name in ("fill", "stroke"):
            return self.color()
        if name in ("alpha", "points"):
            return self.byte()
        if name in FLAGS:
            return self.flag()
        if name == "group":
            return self.identifier_or_none()
        if name == "path":
            return self.path()
        if name in ("from", "to"):
            return self.tie()
        if name == "kind":
            return KINDS[self.byte()]
        if name in CHOICES:
            return CHOICES[name][self.byte()]
        if name in ("name", "z", "text"):
            return self.text()
        return True if name == "deleted" else self.number()

    def path(self):
        inner = Reader(self.take(self.varint()))
        points, at = [], [0, 0]
        has_widths = inner.flag() if inner.content else False
        while inner.place < len(inner.content):
            at = [at[0] + inner.signed(), at[1] + inner.signed()]
            width = inner.byte() if has_widths else 100
            points.append(at if width == 100 else [*at, width])
        return points

    def tie(self):
        shape = self.identifier_or_none()
        return [shape, self.varint(), self.varint()] if shape else []

    def named(self, mask):
        assert 0 < mask < 1 << len(PROPERTIES)
        return [name for bit, name in enumerate(PROPERTIES) if mask >> bit & 1]

    def operations(self):
        actors = [self.identifier() for _ in range(self.varint())]
        operations = []
        shape, stamp = None, None
        for _ in range(self.varint()):
            head = self.byte()
            assert not head & 2, "every operation from the server has a stamp"
            if head & 4:
                assert head & ~5 == 0 and stamp
            place = head >> 4
            if head & 1:
                shape = self.identifier()
            if not head & 4:
                if place == 15:
                    place += self.varint()
                milliseconds = self.signed() + (parts(stamp)[0] if stamp else 0)
                stamp = f"{milliseconds}.{self.varint() if head & 8 else 0}.{actors[place]}"
            operations.append({"shape": shape, "at": stamp, "set": {name: self.value(name) for name in self.named(self.varint())}})
        return operations

    def peer(self):
        peer = {"actor": self.identifier(), "name": self.text(), "color": self.color()}
        state = self.text()
        return peer | ({"state": json.loads(state)} if state else {})

    def pairs(self):
        return [[self.identifier(), self.identifier()] for _ in range(self.varint())]

    # State columns.

    def packed(self, widths):
        """Reads packed values of these bit widths, beginning at the lowest bit of the first byte."""
        bits = Bits(self)
        values = [bits.take(width) for width in widths]
        bits.end()
        return values

    def column(self, count):
        form = self.byte()
        assert form <= 3
        if form == 3:
            return [self.double() for _ in range(count)]
        least, width = self.signed(), self.byte()
        assert width <= 56
        integers = [least + more for more in self.packed([width] * count)]
        numbers = [integer if form == 0 else integer / SCALES[form] for integer in integers]
        place = -1
        for _ in range(self.varint()):
            place += self.varint() + 1
            numbers[place] = self.double()
        return numbers

    def values(self, name, count):
        if name in ("position", "size"):
            return [list(pair) for pair in zip(self.column(count), self.column(count))]
        if name in ("fill", "stroke"):
            return [self.color() for _ in range(count)]
        if name in ("name", "z", "text"):
            return [self.text() for _ in range(count)]
        if name == "group":
            return [self.identifier_or_none() for _ in range(count)]
        if name == "path":
            return [self.path() for _ in range(count)]
        if name in ("from", "to"):
            return [self.tie() for _ in range(count)]
        widths = {"kind": 3, "alpha": 4, "points": 7, "textAlign": 2, "textPlace": 2, "dash": 2, "fromEnd": 2, "toEnd": 2, "route": 2} | dict.fromkeys(FLAGS, 1)
        if name not in widths:
            return self.column(count)
        values = self.packed([widths[name]] * count)
        if name in CHOICES:
            return [CHOICES[name][value] for value in values]
        return [KINDS[value] if name == "kind" else value == 1 if name in FLAGS else value for value in values]

    def state(self):
        """Reads a state as operations, one for each stamp of a shape."""
        assert self.byte() == 1, "the version"
        operations = []
        number = 0
        for _ in range(self.varint()):
            number += self.varint()
            operations.append({"shape": identifier(number), "at": self.stamp(), "set": {"deleted": True}})
        count = self.varint()
        if not count:
            return operations
        shapes, number = [], 0
        for _ in range(count):
            number += self.varint()
            shapes.append(identifier(number))
        actors = [self.identifier() for _ in range(self.varint())]
        least = self.varint()
        widths = list(self.take(3))
        masks = [self.varint() for _ in range(self.varint())]
        assert masks == sorted(set(masks)) and actors == sorted(set(actors)) and shapes == sorted(set(shapes))
        names = [self.named(masks[place]) for place in self.packed([(len(masks) - 1).bit_length()] * count)]

        bits = Bits(self)

        def stamp():
            milliseconds, counter, place = [bits.take(width) for width in widths]
            return f"{least + milliseconds}.{counter}.{actors[place]}"

        stamps = []
        for those in names:
            first = stamp()
            stamps.append([first] + [stamp() if bits.take(1) else first for _ in those[1:]])
        bits.end()

        sets = [{} for _ in shapes]
        for name in PROPERTIES:
            holders = [place for place in range(count) if name in names[place]]
            values = [True] * len(holders) if name == "deleted" else self.values(name, len(holders)) if holders else []
            for place, value in zip(holders, values):
                at = stamps[place][names[place].index(name)]
                sets[place].setdefault(at, {})[name] = value
        for shape, those in zip(shapes, sets):
            operations += [{"shape": shape, "at": at, "set": values} for at, values in those.items()]
        return operations


class Bits:
    """Reads values that are packed into bits."""

    def __init__(self, reader):
        self.reader, self.rest, self.count = reader, 0, 0

    def take(self, width):
        while self.count < width:
            self.rest |= self.reader.byte() << self.count
            self.count += 8
        value = self.rest & (1 << width) - 1
        self.rest >>= width
        self.count -= width
        return value

    def end(self):
        assert self.rest == 0, "the bits that are left are 0"


def identifier(number):
    assert number < 36**9
    return spelled(number)


def decode(content):
    """Decodes a server message to the dictionary that it has in JSON."""
    reader = Reader(content)
    message = READERS[reader.byte()](reader)
    assert reader.place == len(content), "something stands behind the message"
    return {name: value for name, value in message.items() if value is not None}


def welcome(reader):
    message = {"type": "welcome", "room": reader.text(), "actor": reader.identifier()}
    role = reader.byte()
    assert role <= 3
    message |= {"role": "viewer" if role & 1 else "editor", "time": reader.varint()}
    message["limits"] = {name: reader.varint() for name in LIMITS}
    message["peers"] = [{"state": {}} | reader.peer() for _ in range(reader.varint())]
    return message | {"key": reader.text() if role & 2 else None}


def delivery(reader, content):
    flags = reader.byte()
    assert flags <= 3
    message = {"type": "ops", "cursor": reader.text(), "ops": content(reader)}
    return message | {"more": True if flags & 1 else None, "reset": True if flags & 2 else None}


def ack(reader):
    message = {"type": "ack", "id": reader.id(), "cursor": reader.text()}
    superseded = [
        {"op": reader.varint(), "property": PROPERTIES[reader.byte()], "by": reader.stamp()} for _ in range(reader.varint())
    ]
    return message | {"superseded": superseded or None}


def reject(reader):
    message = {"type": "reject", "id": reader.id()}
    place = reader.varint()
    return message | {"op": place - 1 if place else None, "code": CODES[reader.byte()], "message": reader.text()}


def presence(reader):
    peers = [{"actor": reader.identifier(), "state": json.loads(reader.text())} for _ in range(reader.varint())]
    return {"type": "presence", "peers": peers}


def overlaps(reader):
    more = reader.flag()
    return {"type": "overlaps", "began": reader.pairs(), "ended": reader.pairs(), "more": more or None}


def token(reader):
    until = reader.varint()
    return {"type": "token", "until": until or None}


READERS = {
    0x41: welcome,
    0x42: lambda reader: delivery(reader, Reader.operations),
    0x43: lambda reader: delivery(reader, Reader.state),
    0x44: ack,
    0x45: reject,
    0x46: presence,
    0x47: lambda reader: {"type": "join", "peer": reader.peer()},
    0x48: lambda reader: {"type": "leave", "actor": reader.identifier()},
    0x49: overlaps,
    0x4A: lambda reader: {"type": "pong", "id": reader.id(), "time": reader.varint()},
    0x4B: lambda reader: {"type": "digest", "cursor": reader.text(), "hash": reader.take(8).hex()},
    0x4C: lambda reader: {"type": "error", "code": reader.text(), "message": reader.text()},
    0x4D: token,
    0x4E: lambda reader: {"type": "crowd", "people": reader.varint()},
}
