"""The encoding `canvas.v1.bin`, tested with a client that was written from docs/PROTOCOL.md alone."""

import json
import os
import random
import re

import binary
import server as process
from client import BINARY, Client, stamp
from server import identifier


def vectors():
    """`(name, bytes)` of each test vector in docs/PROTOCOL.md."""
    with open(os.path.join(process.ROOT, "docs", "PROTOCOL.md"), encoding="utf-8") as file:
        text = file.read()
    for name, lines in re.findall(r"^```vector (\S+)\n(.*?)^```", text, re.M | re.S):
        yield name, bytes.fromhex("".join(line[:37].partition("  ")[0] for line in lines.splitlines()))


def sample(name):
    """The message of a test vector. Its id is kept as the exact JSON text."""
    path = os.path.join(process.ROOT, "Tests", "CanvasCRDTTests", "Golden", "json", f"{name}.json")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    message = json.loads(text)
    written = re.match(r'{"type":"\w+","id":("(?:[^"\\]|\\.)*"|[^,}]+)', text)
    return message | ({"id": binary.Raw(written[1])} if written and name.startswith(("client", "ping")) else {})


def registers(message):
    """All registers of a state. They are sorted, because their order in the message doesn't matter."""
    operations = message.pop("ops")
    return {(op["shape"], op["at"], name): value for op in operations for name, value in op["set"].items()}


async def test_the_vectors_of_the_contract(shared):
    """B1, B2: This independent encoder and decoder write and read all test vectors of docs/PROTOCOL.md."""
    names = set()
    for name, content in vectors():
        message = sample(name)
        names.add(name)
        if content[0] < 0x40:
            assert binary.encode(message) == content, name
            continue
        read = binary.decode(content)
        if name.startswith("state"):
            assert registers(read) == registers(message), name
        assert read == message, name
    assert len(names) > 20 and {"client-ops-many", "state", "welcome", "reject-whole"} <= names


async def test_whatever_is_drawn_arrives_alike_in_both_encodings(shared):
    """D1, D4: Both encodings give exactly the same values, for live operations and for a state in columns."""
    chance = random.Random(11)
    numbers = [0, 1, -1, 0.01, -45.25, 333.3333, 0.1 + 0.2, 1e-7, 123456.789012345, 99999.99, -1e6]

    def value(name):
        number = lambda low, high: min(max(chance.choice([chance.choice(numbers), chance.uniform(low, high)]), low), high)
        place = lambda: [chance.choice([0, 65535, chance.randrange(65536)]) for _ in range(2)]
        point = lambda: place() if chance.random() < 0.5 else [*place(), chance.choice([1, 99, 101, 200])]
        tie = lambda: chance.choice([[], [identifier(), *place()]])
        return {
            "kind": lambda: chance.choice(binary.KINDS), "name": lambda: "ä" * chance.randint(1, 64), "alpha": lambda: chance.randint(1, 10),
            "position": lambda: [number(-1e6, 1e6), number(-1e6, 1e6)], "size": lambda: [number(1, 1e5), number(1, 1e5)],
            "rotation": lambda: number(-1e6, 1e6), "fill": lambda: f"#{chance.randrange(1 << 24):06X}",
            "stroke": lambda: f"#{chance.randrange(1 << 24):06X}", "strokeWidth": lambda: number(0, 1000),
            "visible": lambda: chance.random() < 0.5, "z": lambda: chance.choice("VWXabc1"), "cornerRadius": lambda: number(0, 1e6),
            "points": lambda: chance.randint(3, 64), "innerRatio": lambda: number(0.05, 1), "deleted": lambda: True,
            "text": lambda: chance.choice(["", "ä\n" * chance.randint(1, 900)]), "textSize": lambda: number(1, 1000),
            "textAlign": lambda: chance.choice(binary.CHOICES["textAlign"]), "textPlace": lambda: chance.choice(binary.CHOICES["textPlace"]),
            "dash": lambda: chance.choice(binary.CHOICES["dash"]), "filled": lambda: chance.random() < 0.5,
            "path": lambda: chance.choice([[], [point() for _ in range(chance.randint(2, 60))]]),
            "from": lambda: tie(), "to": lambda: tie(), "fromEnd": lambda: chance.choice(binary.ENDS), "toEnd": lambda: chance.choice(binary.ENDS),
            "route": lambda: chance.choice(binary.CHOICES["route"]),
            "locked": lambda: chance.random() < 0.5, "group": lambda: chance.choice(["", "afy-kw5-t7o", identifier()]),
        }[name]()

    ann, bob = await Client.join(shared, "alike", BINARY), await Client.join(shared, "alike")
    shapes = [identifier() for _ in range(60)]
    given = set()

    def new_stamp(writer):
        """A stamp of about now that the writer has not used yet, because it must not use one twice (M3)."""
        given.update(operation["at"] for operation in writer.seen)
        while (drawn := stamp(writer.actor, ahead=chance.randint(-500, 500), counter=chance.choice([0, 0, 1, 65535]))) in given:
            pass
        given.add(drawn)
        return drawn

    for number in range(40):
        writer = chance.choice([ann, bob])
        operations = []
        for _ in range(chance.randint(1, 20)):
            names = chance.sample(binary.PROPERTIES[:6] + binary.PROPERTIES[7:], chance.randint(1, 14))
            if chance.random() < 0.1:
                names.append("deleted")
            operation = {"shape": chance.choice(shapes), "set": {name: value(name) for name in names}}
            if chance.random() < 0.7:
                operation["at"] = new_stamp(writer)
            operations.append(operation)
        await writer.accepted(*operations, id=number)
    for client in (ann, bob):
        await client.agrees()
    assert ann.live == bob.live and len(ann.live) > 20
    assert ann.seen == bob.seen
    late, other = await Client.join(shared, "alike", BINARY), await Client.join(shared, "alike")
    assert late.live == other.live == ann.live and late.erased == other.erased


async def test_what_is_refused_is_refused_as_in_json(shared):
    """B4, B5, W5: With the code, the wrong operation's index, and the message's id. The connection stays open."""
    ann = await Client.join(shared, "refused", BINARY)
    good = {"shape": identifier(), "set": {"kind": "star"}}
    for operations, code, place in [
        ([good, {"shape": identifier(), "set": {"alpha": 0}}], "bad_value", 1),
        ([good] * 1025, "too_many_ops", None),
        ([], "bad_message", None),
    ]:
        answer = await ann.write(*operations, id=code)
        assert (answer["type"], answer.get("op"), answer["code"]) == ("reject", place, code) and answer["message"], answer
    # BinaryEncodingTests has each code.
    bad_shape = bytes.fromhex("02 01 05 00 01 03 ff ff ff ff ff ff 10 01")
    for content, kind, code in [(bad_shape, "reject", "bad_shape"), (b"\x07", "error", "unknown_type")]:
        await ann.send(content)
        assert (await ann.until(kind))["code"] == code, content
    await ann.accepted(good, id=9)
    assert set(ann.live) == {good["shape"]}
