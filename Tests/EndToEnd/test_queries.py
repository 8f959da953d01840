"""Queries and writes over HTTP at the limits of a room."""

from client import Client, stamp
from server import Server, identifier
from waiting import eventually


def box(x, y=0, width=10, height=10):
    return {"kind": "rectangle", "position": [x, y], "size": [width, height]}


async def post(server, room, *operations):
    return await server.http("POST", f"/v1/rooms/{room}/ops", {"ops": operations})


async def test_too_many_overlaps_pass():
    """The overlapping pairs of a large heap aren't sent. When the heap is pulled apart, the remaining pairs are sent,
    in notices and in answers."""
    with Server("--max-overlaps", 10) as server:
        heap = [identifier() for _ in range(8)]
        watcher = await Client.join(server, "heap", overlaps=True)
        await post(server, "heap", *[{"shape": shape, "set": box(0)} for shape in heap])
        answer = await server.get("/v1/rooms/heap/overlaps")
        assert answer.status == 503 and answer.error == "too_many_overlaps", answer.body
        await post(server, "heap", *[{"shape": shape, "set": box(100 * at)} for at, shape in enumerate(heap[2:], 1)])
        left = sorted(heap[:2])

        async def told():
            notice = await watcher.until("overlaps")
            return notice["began"] == [left]

        await eventually(told, "the one pair that is left")

        async def answered():
            answer = await server.get("/v1/rooms/heap/overlaps")
            return answer.status == 200 and answer.json["overlaps"] == [left]

        await eventually(answered, "the list is there again")


async def test_operations_of_several_writers_in_one_request(shared):
    """An operator's request may have stamps of several actors. They are stored unchanged, so that a history can be
    written again."""
    ann, bob, shape = identifier(), identifier(), identifier()
    made, named = stamp(ann, counter=1), stamp(bob, counter=2)
    answer = await post(
        shared,
        "writers",
        {"shape": shape, "at": made, "set": {"kind": "star"}},
        {"shape": shape, "at": named, "set": {"name": "Sun"}},
    )
    assert answer.status == 200, answer.body
    drawing = (await shared.get("/v1/rooms/writers?stamps=1")).json
    assert drawing["shapes"][0]["stamps"] == {"kind": made, "name": named}


async def test_a_layout_that_has_no_room():
    """The error says that the room is full, and not that the layout is invalid. A message that deletes shapes first is
    accepted."""
    with Server("--max-shapes", 5) as server:

        async def layout(count):
            squares = [{"x": at, "y": at, "colour": "#FF0000", "size": 5} for at in range(count)]
            return await server.http("POST", "/v1/rooms/full/layout", {"squares": squares})

        answer = await layout(6)
        assert (answer.status, answer.error) == (409, "room_full"), answer.body
        placed = (await layout(5)).json["shapes"]
        assert (await layout(1)).error == "room_full"
        assert (await post(server, "full", {"shape": identifier(), "set": box(0)})).error == "room_full"
        answer = await post(
            server, "full", {"shape": identifier(), "set": box(0)}, {"shape": placed[0], "set": {"deleted": True}}
        )
        assert answer.status == 200, answer.body
