"""Dashed strokes, shapes without a fill, locks and groups."""

from test_binary import BinaryClient
from client import Client
from server import identifier

FRAME = {"kind": "rectangle", "strokeWidth": 4, "dash": "dashed", "filled": False, "locked": True, "group": "afy-kw5-t7o"}


async def test_they_reach_everyone_who_knows_of_them(shared):
    """S11, S12, S13, C12: In both encodings, in a state and over HTTP; who doesn't know of them is told of the rest."""
    room = "looks"
    ann = await Client.join(shared, room, vocabulary=3)
    bob = await BinaryClient.enter(shared, room, vocabulary=3)
    old = await Client.join(shared, room)
    shape, plain = identifier(), identifier()
    assert (await ann.write({"shape": shape, "set": FRAME}, {"shape": plain, "set": {"kind": "star"}}))["type"] == "ack"
    assert (await bob.until("ops"))["ops"][0]["set"] == FRAME
    assert (await old.until("ops"))["ops"][0]["set"] == {"kind": "rectangle", "strokeWidth": 4}
    late = await BinaryClient.enter(shared, room, vocabulary=3)
    assert late.live == bob.live and late.live[shape]["group"][1] == FRAME["group"]
    drawing = {each["id"]: each for each in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    assert {name: drawing[shape][name] for name in FRAME} == FRAME and "locked" not in drawing[plain]
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert 'fill="none" stroke="#000000" stroke-width="4" stroke-dasharray="12 8"' in picture
    # The server doesn't keep anybody from changing it.
    assert (await bob.write({"shape": shape, "set": {"position": [9, 9], "group": ""}}))["type"] == "ack"
    assert (await ann.until("ops"))["ops"][0]["set"] == {"position": [9, 9], "group": ""}
