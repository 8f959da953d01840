"""Lines and ink (S14, S15)."""

from test_binary import BinaryClient
from client import Client
from server import identifier

PATH = [[0, 0], [32768, 65535], [65535, 0]]
INK = {"kind": "ink", "position": [10, 10], "size": [200, 100], "stroke": "#2F6FED", "strokeWidth": 4, "path": [[0, 0, 40], [300, 65535], [65535, 7, 160]]}


def line(**more):
    return {"kind": "line", "position": [0, 0], "size": [300, 100], "stroke": "#767676", "strokeWidth": 4, "path": PATH} | more


async def test_they_reach_everyone_who_knows_of_them(shared):
    """C12, S10: In both encodings, in a state and over HTTP; who knows only texts, or not even these, is told of rectangles."""
    room = "lines"
    ann = await Client.join(shared, room, vocabulary=3)
    bob = await BinaryClient.enter(shared, room, vocabulary=3)
    texts, old = await Client.join(shared, room, vocabulary=2), await BinaryClient.enter(shared, room)
    square, tied, ink = identifier(), identifier(), identifier()
    set_line = line(**{"from": [square, 65535, 32768], "to": [], "fromEnd": "dot", "toEnd": "arrow"})
    made = [{"kind": "rectangle", "text": "hi", "filled": False}, set_line, INK]
    ops = [{"shape": shape, "set": values} for shape, values in zip([square, tied, ink], made)]
    assert (await ann.write(*ops))["type"] == "ack"
    assert [op["set"] for op in (await bob.until("ops"))["ops"]] == made
    known = ("kind", "position", "size", "stroke", "strokeWidth")
    told = [{"kind": "rectangle", "text": "hi"}, *({name: values[name] for name in known} | {"kind": "rectangle"} for values in made[1:])]
    assert [op["set"] for op in (await texts.until("ops"))["ops"]] == told
    told[0] = {"kind": "rectangle"}
    assert [op["set"] for op in (await old.until("ops"))["ops"]] == told
    for client in (ann, texts, old):
        await client.send({"type": "digest"})
        assert (await client.until("digest"))["hash"] == client.digest
    late = await BinaryClient.enter(shared, room, vocabulary=3)
    assert late.live == bob.live and late.live[tied]["path"][1] == PATH and late.live[ink]["path"][1] == INK["path"]
    drawing = {each["id"]: each for each in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    assert drawing[tied]["from"] == [square, 65535, 32768] and drawing[ink]["path"] == INK["path"]
    # Another client's move of a line that it doesn't know leaves the path alone.
    assert (await old.write({"shape": tied, "set": {"position": [50, 60]}}))["type"] == "ack"
    after = {each["id"]: each for each in (await shared.get(f"/v1/rooms/{room}")).json["shapes"]}
    assert after[tied]["path"] == PATH and after[tied]["kind"] == "line"


async def test_a_picture_draws_the_ends_where_the_shapes_are(shared):
    """S14: A tied end lies in the shape's box, turned as that is. The rest of the line stays."""
    room = "pictured"
    ann = await Client.join(shared, room, vocabulary=3)
    square, arrow = identifier(), identifier()
    await ann.write(
        {"shape": square, "set": {"kind": "rectangle", "position": [500, 500], "size": [100, 50], "rotation": 90}},
        {"shape": arrow, "set": {
            "kind": "line", "position": [0, 0], "size": [10, 10], "strokeWidth": 2, "stroke": "#112233", "to": [square, 65535, 0], "toEnd": "dot",
        }},
    )
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    # The box's upper right corner, a quarter of a turn later: [50, -25] from its middle becomes [25, 50].
    assert 'd="M0,0L575,575" stroke="#112233" stroke-width="2"' in picture, picture
    assert '<circle cx="575" cy="575" r="4" fill="#112233"/>' in picture, picture
    # A shape that goes leaves the end where the line itself has it: whoever deletes it may write that, and here nobody does.
    await ann.write({"shape": square, "set": {"deleted": True}})
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert 'd="M0,0L10,10"' in picture, picture


async def test_ink_is_smooth(shared):
    """S15: Each part is as wide as its point says."""
    ann = await Client.join(shared, "inked", vocabulary=3)
    values = {"kind": "ink", "position": [0, 0], "size": [65535, 65535], "strokeWidth": 10, "path": [[0, 0], [0, 100], [100, 100], [200, 100, 50]]}
    await ann.write({"shape": identifier(), "set": values})
    picture = (await shared.get("/v1/rooms/inked/picture.svg")).body.decode()
    assert 'd="M0,0L0,50Q0,100 50,100Q100,100 150,100" stroke="#000000" stroke-width="10"' in picture, picture
    assert 'd="M150,100L200,100" stroke="#000000" stroke-width="5"' in picture, picture


async def test_copies_are_tied_to_copies(shared):
    """S14"""
    square, arrow = "afy-kw5-t7o", "abc-abc-abc"
    document = {"shapes": [
        {"id": arrow, "kind": "line", "from": [square, 0, 0], "to": ["zzz-zzz-zzz", 1, 1], "path": PATH}, {"id": square, "kind": "star"},
    ]}
    for _ in range(2):
        assert (await shared.http("POST", "/v1/rooms/copied/layout", document)).status == 200
    shapes = (await shared.get("/v1/rooms/copied")).json["shapes"]
    for line, star in (shapes[:2], shapes[2:]):
        assert line["from"] == [star["id"], 0, 0] and star["id"] != square
        assert line["to"] == [] and line["path"] == PATH
