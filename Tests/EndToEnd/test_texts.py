"""Text in shapes, and clients that know nothing of it."""

import binary_before_texts
import pytest
from client import Client, agree, stamp
from server import Server, identifier

NOTE = {"kind": "ellipse", "position": [5, 6], "text": "Buy milk,\n“and” bread", "textSize": 24, "textAlign": "left", "textPlace": "top"}


async def test_a_text_reaches_everyone_who_knows_of_it(shared):
    """S9, C12: In an operation and in a state, and over HTTP. A drawing says nothing of texts where there are none."""
    room = "texts"
    ann = await Client.join(shared, room, vocabulary=2)
    bob = await Client.join(shared, room, vocabulary=2)
    note, plain = identifier(), identifier()
    answer = await ann.write({"shape": note, "set": NOTE}, {"shape": plain, "set": {"kind": "star"}})
    assert answer["type"] == "ack"
    delivered = await bob.until("ops")
    assert delivered["ops"][0]["set"] == NOTE
    late = await Client.join(shared, room, vocabulary=9)
    assert late.live == bob.live
    drawing = {shape["id"]: shape for shape in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    assert {name: drawing[note][name] for name in NOTE} == NOTE
    assert "text" not in drawing[plain] and "textSize" not in drawing[plain]
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert ">Buy milk,</tspan>" in picture and "“and” bread" in picture


async def test_a_client_of_before_is_told_only_what_it_knows(shared):
    """C12, S10: The kind becomes a rectangle, an operation with nothing else brings the cursor, and the digest is its own."""
    room = "older"
    ann = await Client.join(shared, room, vocabulary=2)
    old = await Client.join(shared, room)
    text, shape = identifier(), identifier()
    await ann.write({"shape": text, "set": {"kind": "text", "text": "Hi", "position": [1, 2]}}, {"shape": shape, "set": {"kind": "star"}})
    delivered = await old.until("ops")
    assert [operation["set"] for operation in delivered["ops"]] == [{"kind": "rectangle", "position": [1, 2]}, {"kind": "star"}]
    await ann.write({"shape": text, "set": {"text": "Hello"}})
    delivered = await old.until("ops")
    assert delivered["ops"] == [] and delivered["cursor"] == ann.cursor
    late = await Client.join(shared, room)
    assert late.live == old.live
    hashes = set()
    for client in (old, late):
        await client.send({"type": "digest"})
        hashes.add((await client.until("digest"))["hash"])
    assert len(hashes) == 1
    await ann.send({"type": "digest"})
    assert (await ann.until("digest"))["hash"] not in hashes
    # It moves what it doesn't know, and nothing of that is lost.
    await old.write({"shape": text, "set": {"position": [7, 8]}})
    await ann.until("ops")
    (drawn,) = [each for each in (await shared.get(f"/v1/rooms/{room}")).json["shapes"] if each["id"] == text]
    assert drawn["kind"] == "text" and drawn["text"] == "Hello" and drawn["position"] == [7, 8]


class OldClient(Client):
    """A client of before there were texts. It fails at whatever it doesn't know."""

    def encode(self, message):
        return binary_before_texts.encode(message)

    def decode(self, frame):
        return binary_before_texts.decode(frame)

    @classmethod
    async def enter(cls, server, room, **hello):
        return await cls.join(server, room, protocols=["canvas.v1.bin"], **hello)


async def test_a_program_of_the_version_before_goes_on(shared):
    """C12, S10: In a room with all that it doesn't know: live, in a state, after a resume, in acks. Its edits leave that alone."""
    room = "before"
    newer = {
        "text": {"kind": "text", "text": "Hi", "textSize": 40, "textAlign": "left", "textPlace": "top"},
        "line": {"kind": "line", "path": [[0, 0], [65535, 65535]], "from": ["afy-kw5-t7o", 0, 0], "to": [], "toEnd": "arrow", "fromEnd": "dot"},
        "ink": {"kind": "ink", "path": [[0, 0], [9, 65535, 50]], "strokeWidth": 3, "stroke": "#112233"},
        "star": {"kind": "star", "points": 7, "dash": "dashed", "filled": False, "locked": True, "group": "afy-kw5-t7o", "text": "in a star"},
    }
    ann = await Client.join(shared, room, name="Ann", vocabulary=3)
    old = await OldClient.enter(shared, room, name="Old", overlaps=True, key="")
    shapes = {name: identifier() for name in newer}
    await ann.write(*({"shape": shapes[name], "set": values} for name, values in newer.items()))
    # Nothing in these is known to it: the second is told as an empty message.
    await ann.write({"shape": shapes["text"], "set": {"text": "Hello"}})
    await ann.write({"shape": shapes["line"], "set": {"deleted": True}})
    await ann.send({"type": "presence", "state": {"ink": {"shape": "afy-kw5-t7o", "points": [1, 2]}}})
    await old.until("presence")
    late, back = await OldClient.enter(shared, room), await OldClient.enter(shared, room, since=old.cursor)
    await agree(old, late)
    assert back.seen == []
    assert {shape: values["kind"][1] for shape, values in late.live.items()} == {
        shapes["text"]: "rectangle", shapes["ink"]: "rectangle", shapes["star"]: "star",
    }
    assert late.live == old.live and late.erased == old.erased
    # It moves and colours all of it. What comes too late it is told of.
    for name in ("text", "ink", "star"):
        answer = await old.write({"shape": shapes[name], "set": {"position": [70, 80], "fill": "#ABCDEF", "alpha": 5}})
        assert answer["type"] == "ack", answer
    ahead = stamp(ann.actor, ahead=30_000)
    await ann.write({"shape": shapes["star"], "at": ahead, "set": {"rotation": 45, "text": "later", "locked": False}})
    answer = await old.write({"shape": shapes["star"], "at": stamp(old.actor), "set": {"rotation": 10}})
    assert answer["superseded"] == [{"op": 0, "property": "rotation", "by": ahead}]
    await agree(old, late)
    drawn = {shape["id"]: shape for shape in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    for name in ("text", "ink", "star"):
        kept = newer[name] | {"position": [70, 80], "fill": "#ABCDEF", "alpha": 5} | {
            "text": {"text": "Hello"}, "star": {"rotation": 45, "text": "later", "locked": False},
        }.get(name, {})
        assert {key: drawn[shapes[name]][key] for key in kept} == kept


@pytest.mark.parametrize("wrong", ["a\tb", "\u0085", "é" * 2049, 5, None])
async def test_a_text_that_is_none_is_refused(shared, wrong):
    """W6: Control characters other than line breaks, and more than 4,096 bytes."""
    ann = await Client.join(shared, "refused", vocabulary=2)
    answer = await ann.write({"shape": identifier(), "set": {"kind": "text", "text": wrong}})
    assert answer["type"] == "reject" and answer["code"] == "bad_value" and answer["op"] == 0


@pytest.mark.parametrize("wrong", [{"textSize": 0}, {"textSize": 1001}, {"textAlign": "justify"}, {"textPlace": 1}])
async def test_a_text_is_set_in_few_ways(shared, wrong):
    ann = await Client.join(shared, "refused", vocabulary=2)
    answer = await ann.write({"shape": identifier(), "set": {"kind": "text", "text": "é" * 2048} | wrong})
    assert answer["type"] == "reject" and answer["code"] == "bad_value"


async def test_texts_overlap_nothing(shared):
    """S7"""
    room = "apart"
    ann = await Client.join(shared, room, vocabulary=2, overlaps=True)
    one, other, text = sorted(identifier() for _ in range(3))
    await ann.write(*({"shape": shape, "set": {"kind": "rectangle"}} for shape in (one, other)), {"shape": text, "set": {"kind": "text"}})
    while True:
        notice = await ann.until("overlaps")
        if notice["began"]:
            break
    assert notice["began"] == [[one, other]]
    assert (await shared.get(f"/v1/rooms/{room}/overlaps?box=1,1,2,2")).json["shapes"] == [one, other]


async def test_a_room_full_of_text_is_told_in_parts(shared):
    """D1: No message is longer than a message may be. W6: A room has so much text and no more."""
    with Server("--max-message-bytes", "16384", "--max-text-bytes", "400000") as server:
        ann = await Client.join(server, "long", vocabulary=2)
        taken = 0
        for _ in range(120):
            answer = await ann.write({"shape": identifier(), "set": {"kind": "text", "text": "\n" * 4000}})
            if answer["type"] == "reject":
                assert answer["code"] == "room_full"
                break
            taken += 1
        assert taken == 100
        bob = await Client.join(server, "long", vocabulary=2)
        assert bob.live == ann.live
