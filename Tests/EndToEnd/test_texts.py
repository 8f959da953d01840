"""Text in shapes, and clients that know nothing of it."""

import pytest
from client import Client
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
