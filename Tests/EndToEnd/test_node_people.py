"""The people in the rooms of several nodes. Operators and the list of rooms see all of them, whichever node is
asked."""

import asyncio
from contextlib import contextmanager

import database
from database import nodes
from server import identifier
from test_tokens import ANN, GUEST, KEEPER, asking, bearer, enter
from waiting import eventually

pytestmark = database.needed


@contextmanager
def asking_nodes(count):
    """Starts this many nodes that require tokens."""
    with asking() as (_, path), nodes(count, "--tokens", path) as servers:
        yield servers


async def people(server, room):
    return (await server.get(f"/v1/rooms/{room}/peers", bearer(KEEPER))).json["peers"]


async def counted(server, token=KEEPER):
    rooms = (await server.get("/v1/rooms", bearer(token))).json["rooms"]
    return {room["room"]: room["peers"] for room in rooms}


async def all_count(servers, people):
    await eventually(
        lambda: asyncio.gather(*map(counted, servers)), f"all nodes count {people}", holds=lambda found: found == [people] * len(servers))


async def test_every_node_lists_the_people_of_all():
    """H7, H14: The list shows role, token and address, even for rooms that are open only at another node."""
    with asking_nodes(3) as (first, second, third):
        ann, guest = await enter(first, "demo", ANN, name="Ann"), await enter(second, "demo", GUEST, name="Eve")
        await ann.write({"shape": identifier(), "set": {"kind": "star"}})
        team = await enter(first, "team-a", ANN)
        await team.write({"shape": identifier(), "set": {"kind": "star"}})
        servers = (first, second, third)
        lists = await eventually(
            lambda: asyncio.gather(*(people(server, "demo") for server in servers)), "all nodes know both",
            holds=lambda lists: all(len(found) == 2 for found in lists))
        assert lists[0] == lists[1] == lists[2] == sorted(lists[0], key=lambda each: each["actor"])
        by_name = {each["name"]: each for each in lists[0]}
        assert by_name["Ann"] | {"color": ""} == {
            "actor": ann.actor, "name": "Ann", "color": "", "role": "editor", "token": "Ann's laptop", "address": "127.0.0.1"}
        assert by_name["Eve"]["role"] == "viewer" and by_name["Eve"]["actor"] == guest.actor
        await all_count(servers, {"demo": 2, "team-a": 1})
        # A person who leaves disappears from the lists of all nodes.
        await guest.close()
        await team.close()
        await all_count(servers, {"demo": 1, "team-a": 0})


async def test_an_operator_removes_somebody_at_another_node():
    """H14: The request is answered after the person was removed."""
    with asking_nodes(2) as (first, second):
        ann, guest = await enter(first, "demo", ANN, name="Ann"), await enter(first, "demo", GUEST, name="Eve")
        await eventually(lambda: people(second, "demo"), "the other node knows them", holds=lambda found: len(found) == 2)
        path = f"/v1/rooms/demo/peers/{ann.actor}"
        assert (await second.http("DELETE", path, headers=bearer(KEEPER))).status == 204
        assert [each["name"] for each in await people(second, "demo")] == ["Eve"]
        assert (await ann.until("error"))["code"] == "removed" and await ann.closed() == 4403
        again = await second.http("DELETE", path, headers=bearer(KEEPER))
        assert again.status == 404 and again.error == "no_such_peer"
        assert not guest.errors
        # One node is suspended and can't answer. A request to remove a person at that node still succeeds, and the
        # person is no longer listed.
        cat = await enter(first, "demo", ANN, name="Cat")
        await eventually(lambda: people(second, "demo"), "the other node knows her", holds=lambda found: len(found) == 2)
        first.freeze()
        answer = await second.http("DELETE", f"/v1/rooms/demo/peers/{cat.actor}", headers=bearer(KEEPER))
        assert answer.status == 204 and await people(second, "demo") == []
        first.thaw()
        assert await cat.closed() == 4403
