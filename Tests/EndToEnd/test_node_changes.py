"""A client that moves to another node finds everything there that it has seen and written, even if that node has not
read it yet."""

import asyncio
from contextlib import asynccontextmanager

import database
from client import Client, agree, stamp
from relay import Relay
from server import Server, identifier
from waiting import eventually
from test_nodes import draw, position, rectangle

pytestmark = database.needed


class Deafener(Relay):
    """A relay between a node and its database. While it holds, the node gets no notifications about other nodes'
    writes."""

    def __init__(self, port):
        super().__init__(port)
        self.following, self.asked = set(), 0

    async def passes(self, connection, is_back, part):
        if b"LISTEN canvas" in part:
            self.following.add(connection)
        if is_back and connection in self.following:
            await self.is_open.wait()
        self.asked += not is_back
        return part, True

    async def held_for(self, doing):
        """Runs `doing`, which has to wait for the node's notifications. The relay releases them when the node has
        asked the database something since."""
        asked, task = self.asked, asyncio.create_task(doing)
        await eventually(lambda: self.asked, "the node asks the database", holds=lambda now: now > asked + 1)
        assert not task.done(), "it has not waited"
        self.let_go()
        return await task


@asynccontextmanager
async def two_nodes(*flags):
    """Starts two nodes and joins a client at the second one, whose notifications the relay can hold back."""
    with database.database() as url:
        head, name = url.rsplit("/", 1)
        place, port = head.rsplit(":", 1)
        async with Deafener(int(port)) as relay:
            first = await asyncio.to_thread(Server(*flags, data=url).start)
            second = await asyncio.to_thread(Server(*flags, data=f"{place}:{relay.own}/{name}").start)
            try:
                ben = await Client.join(second, "garden")
                await draw(ben, rectangle(identifier()))
                yield first, second, ben, relay
            finally:
                first.kill()
                second.kill()


async def test_what_an_actor_writes_at_another_node_comes_after_what_it_wrote():
    """W3: The later write gets the later stamp even if the actor's last edit has a stamp ahead of the other node's
    clock, and even if the client comes without a cursor."""
    async with two_nodes() as (first, second, ben, relay):
        ann, shape = await Client.join(first, "garden"), identifier()
        relay.hold()
        await draw(ann, {**rectangle(shape, position=[1, 0]), "at": stamp(ann.actor, ahead=30_000)})
        await ann.close()
        again = await relay.held_for(Client.join(second, "garden", actor=ann.actor, key=ann.welcome["key"]))
        await draw(again, {"shape": shape, "set": {"position": [2, 0]}})
        assert position(again, shape) == [2, 0]
        await agree(again, ben)


async def test_a_room_is_full_only_if_it_is_by_what_all_nodes_have_stored():
    """W8: An edit that is repeated at another node counts as accepted. Writes over HTTP can use space that another node
    has freed."""
    async with two_nodes("--max-shapes", 2) as (first, second, ben, relay):
        ann, (old,), new = await Client.join(first, "garden"), ben.live, identifier()
        other = identifier()
        await draw(ann, rectangle(other))
        await agree(ann, ben)
        since, edit = ann.cursor, {**rectangle(new), "at": stamp(ann.actor)}
        relay.hold()
        await draw(ann, {"shape": old, "set": {"deleted": True}}, edit)
        await ann.close()
        # The other node can't know whether Ann received the acknowledgement.
        again = await relay.held_for(Client.join(second, "garden", since=since, actor=ann.actor, key=ann.welcome["key"]))
        await draw(again, edit)
        await agree(ben, await Client.join(first, "garden"))
        assert set(ben.live) == {other, new}

        relay.hold()
        eve = await Client.join(first, "garden")
        await draw(eve, {"shape": new, "set": {"deleted": True}})
        body = {"ops": [rectangle(identifier())]}
        answer = await relay.held_for(second.http("POST", "/v1/rooms/garden/ops", body))
        assert answer.status == 200, answer.body


async def test_the_past_is_shown_by_a_cursor_that_another_node_has_just_given():
    """H9: A node that has not read up to the cursor reads the missing records first."""
    async with two_nodes() as (first, second, ben, relay):
        ann, shape = await Client.join(first, "garden"), identifier()
        relay.hold()
        cursor = (await draw(ann, rectangle(shape)))["cursor"]
        past = await relay.held_for(second.get(f"/v1/rooms/garden?at={cursor}"))
        assert past.status == 200 and shape in {one["id"] for one in past.json["shapes"]}
        assert past.json["cursor"] == cursor


async def test_a_room_that_another_node_has_just_made_can_be_deleted():
    """This node may not have noticed the other node's writes yet, even if a client has joined the room here. The
    deletion still works."""
    async with two_nodes() as (first, second, _, relay):
        await Client.join(second, "pond")
        relay.hold()
        await draw(await Client.join(first, "pond"), rectangle(identifier()))
        assert (await second.http("DELETE", "/v1/rooms/pond")).status == 204
        relay.let_go()
        await first.answers("/v1/rooms/pond", 404)
