"""Texts, styles, lines and ink: who is told of them, and how they are drawn."""

from client import BINARY, Client
from server import identifier

PATH = [[0, 0], [32768, 65535], [65535, 0]]
INK = {"kind": "ink", "position": [10, 10], "size": [200, 100], "stroke": "#2F6FED", "strokeWidth": 4, "path": [[0, 0, 40], [300, 65535], [65535, 7, 160]]}
NOTE = {"kind": "ellipse", "position": [5, 6], "text": "Buy milk,\n“and” bread", "textSize": 24, "textAlign": "left", "textPlace": "top"}
FRAME = {"kind": "rectangle", "strokeWidth": 4, "dash": "dashed", "filled": False, "locked": True, "group": "afy-kw5-t7o"}


def line(**more):
    return {"kind": "line", "position": [0, 0], "size": [300, 100], "stroke": "#767676", "strokeWidth": 4, "path": PATH} | more


class EarlierClient(Client):
    """A client whose hello has the earlier form, of kind 11."""

    def encode(self, message):
        encoded = super().encode(message)
        return bytes([0x11, encoded[1] | 128, encoded[1] >> 7 | 2]) + encoded[2:] if message["type"] == "hello" else encoded


async def test_everyone_is_told_everything(shared):
    """C12, S9, S11, S12, S13: Each client is told everything, whichever vocabulary it names, in both encodings, live,
    in a state, over HTTP and in a picture. A drawing has only the properties that a shape has."""
    room = "told"
    ann, bob = await Client.join(shared, room), await Client.join(shared, room, BINARY)
    others = [
        await Client.join(shared, room, vocabulary=1), await Client.join(shared, room, vocabulary=2),
        await Client.join(shared, room, BINARY, vocabulary=3), await EarlierClient.join(shared, room, BINARY, crowd=True, vocabulary=3),
    ]
    square, tied, ink, note, frame, plain = (identifier() for _ in range(6))
    made = {
        square: {"kind": "rectangle", "text": "hi", "filled": False},
        tied: line(**{"from": [square, 65535, 32768], "to": [], "fromEnd": "dot", "toEnd": "arrow"}),
        ink: INK, note: NOTE, frame: FRAME, plain: {"kind": "star"},
    }
    await ann.accepted(*({"shape": shape, "set": values} for shape, values in made.items()))

    async def told(client):
        return [operation["set"] for operation in (await client.until("ops"))["ops"]]

    for client in (bob, *others):
        assert await told(client) == list(made.values())
    await ann.agrees()
    late = await Client.join(shared, room, BINARY)
    assert late.live == bob.live and {name: value for name, (_, value) in late.live[frame].items()} == FRAME

    async def drawing():
        return {each["id"]: each for each in await shared.shapes(room)}

    drawn = await drawing()
    for shape, values in made.items():
        assert {name: drawn[shape][name] for name in values} == values
    assert not {"text", "textSize", "locked", "path"} & set(drawn[plain])
    picture = (await shared.get(f"/v1/rooms/{room}/picture.svg")).body.decode()
    assert ">Buy milk,</tspan>" in picture and "“and” bread" in picture
    assert 'fill="none" stroke="#000000" stroke-width="4" stroke-dasharray="12 8"' in picture
    # A lock is only advice to clients. The server lets everybody change a locked shape.
    await bob.accepted({"shape": frame, "set": {"position": [9, 9], "group": ""}})
    while {"position": [9, 9], "group": ""} not in await told(ann):
        pass


async def test_copies_are_tied_to_copies(shared):
    """S14: Copies of a line and its shape are tied to each other, and not to the originals."""
    square, arrow = "afy-kw5-t7o", "abc-abc-abc"
    document = {"shapes": [
        {"id": arrow, "kind": "line", "from": [square, 0, 0], "to": ["zzz-zzz-zzz", 1, 1], "path": PATH}, {"id": square, "kind": "star"},
    ]}
    for _ in range(2):
        assert (await shared.http("POST", "/v1/rooms/copied/layout", document)).status == 200
    shapes = await shared.shapes("copied")
    for line, star in (shapes[:2], shapes[2:]):
        assert line["from"] == [star["id"], 0, 0] and star["id"] != square
        assert line["to"] == [] and line["path"] == PATH
