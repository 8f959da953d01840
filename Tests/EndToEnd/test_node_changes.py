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
    """A relay to a node's database. While it holds, the node gets no notifications about others' writes."""

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
        """Runs `doing`, which has to wait for notifications. They come once the node has asked the database."""
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
    """W3: Even if its last stamp is ahead of that node's clock, and without a cursor."""
    async with two_nodes() as (first, second, ben, relay):
        ann, shape = await Client.join(first, "garden"), identifier()
        relay.hold()
        await draw(ann, {**rectangle(shape, position=[1, 0]), "at": stamp(ann.actor, ahead=30_000)})
        await ann.close()
        again = await relay.held_for(Client.join(second, "garden", actor=ann.actor, key=ann.welcome["key"]))
        await draw(again, {"shape": shape, "set": {"position": [2, 0]}})
        assert position(again, shape) == [2, 0]
        await agree(again, ben)


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
    """This node may not know of the other's writes yet, even if a client has joined here."""
    async with two_nodes() as (first, second, _, relay):
        await Client.join(second, "pond")
        relay.hold()
        await draw(await Client.join(first, "pond"), rectangle(identifier()))
        assert (await second.http("DELETE", "/v1/rooms/pond")).status == 204
        relay.let_go()
        await first.answers("/v1/rooms/pond", 404)


async def test_opening_a_room_reads_each_of_its_records_once():
    """Reading records more than once would make a room with a long history open too slowly."""
    records = 20_000
    with database.database() as place:
        with Server(data=place) as first:
            (shape,) = await first.write("demo")
        database.ask(
            "INSERT INTO canvas.records SELECT room, number, milliseconds, number, writer, append, checksum, bytes "
            f"FROM canvas.records, generate_series(2, {records}) AS number", place,
        )
        database.ask(f"UPDATE canvas.rooms SET last = {records}, operations = {records}", place)
        with Server(data=place) as second:
            room = (await second.get("/v1/rooms/demo")).json
            assert [one["id"] for one in room["shapes"]] == [shape]
            second.terminate()

        async def counted():
            """PostgreSQL counts a connection's reads when it ends, soon after the server."""
            (read,) = database.ask("SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'records'", place)
            return int(read) >= records and int(read)

        # Background verification can read a record a second time.
        assert await eventually(counted, "the records are counted") < 2.1 * records
