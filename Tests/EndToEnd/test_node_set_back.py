"""A database loses acknowledged records, because a standby that was behind becomes the primary. The nodes keep running,
and in the end all show what is stored."""

import websockets

import database
import postgres
from client import Client, agree
from server import Server, identifier
from test_nodes import draw, position, rectangle
from waiting import eventually

pytestmark = database.needed


async def keeps_up(cluster):
    """Waits until the standby has received everything."""
    await eventually(
        lambda: cluster.ask(0, "SELECT count(*) FROM pg_stat_replication WHERE replay_lsn = pg_current_wal_lsn()") == ["1"],
        "the standby keeps up")


async def hang_up_standby(cluster):
    """Disconnects the standby. It receives nothing more, and commits no longer wait for it."""
    cluster.reset(0, "synchronous_standby_names")
    cluster.set(1, "primary_conninfo = ''")
    await eventually(lambda: cluster.ask(0, "SELECT count(*) FROM pg_stat_replication") == ["0"], "the standby is on its own")


async def draw_at_last(server, client, *operations):
    """Writes until a write is stored, and rejoins if necessary."""
    async def drawn():
        nonlocal client
        try:
            return (await client.write(*operations, id=identifier()))["type"] == "ack"
        except websockets.ConnectionClosed as closed:
            assert closed.rcvd.code == 1001, closed
            client = await come_back(server, client)

    await eventually(drawn, f"{operations} is stored")
    return client


async def come_back(server, client, since=None):
    async def joined():
        try:
            return await Client.join(server, "garden", since=since or client.cursor, actor=client.actor, key=client.welcome["key"])
        except AssertionError as answer:
            # A node answers `unavailable` until it has found the new primary.
            assert "unavailable" in str(answer), answer

    return await eventually(joined, "coming back")


async def test_what_a_standby_lacks_that_takes_over_is_gone_for_everyone():
    with postgres.Cluster(1) as cluster:
        with Server(data=f"{cluster.address}/postgres") as first, Server(data=f"{cluster.address}/postgres") as second:
            ann, ben = await Client.join(first, "garden"), await Client.join(second, "garden")
            kept, lost = identifier(), identifier()
            await draw(ann, rectangle(kept, position=[1, 1]))
            await keeps_up(cluster)
            await hang_up_standby(cluster)
            for x in range(5):
                await draw(ann, {"shape": kept, "set": {"position": [7, x]}})
            await draw(ben, rectangle(lost))
            await agree(ann, ben)
            # This room is lost whole. Nobody has deleted it, so the client is asked to come back.
            zoe = await Client.join(first, "new")
            await draw(zoe, rectangle(identifier()))
            # The cursor includes records that are about to be lost.
            cursor = ann.cursor
            cluster.kill(0)
            cluster.promote(1)
            assert [await client.closed() for client in (ann, ben, zoe)] == [1001, 1001, 1001]
            ann, ben = await come_back(first, ann, since=cursor), await come_back(second, ben, since=cursor)
            await agree(ann, ben)
            assert ann.live.keys() == {kept} and position(ann, kept) == [1, 1]
            # Both nodes write new records at the positions of the lost ones.
            for x in range(5):
                for server, client in ((first, ann), (second, ben)):
                    await draw(client, {"shape": kept, "set": {"position": [9, x]}})
            for server in (first, second):
                late = await Client.join(server, "garden", state=False, since=cursor)
                messages = await late.state()
                assert any(message.get("reset") for message in messages), "a cursor of what is lost was taken for one of what is there"
                await agree(late, ann, ben)
                assert await server.metric("canvas_log_rooms_set_back_total") == (2 if server is first else 1)
                assert await server.metric("canvas_node_differences_total") == 0

            # The old primary returns with its old data, and is first in the list of addresses. The nodes must not write
            # to it.
            cluster.start(0)
            before = cluster.ask(0, "SELECT last FROM canvas.rooms")
            cluster.ask(1, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'canvas %'")
            await eventually(
                lambda: any("was the primary once" in str(line) for line in first.log),
                "that the former primary is passed over")
            ann = await draw_at_last(first, ann, {"shape": kept, "set": {"position": [3, 3]}})
            await agree(ann, await Client.join(second, "garden"))
            assert cluster.ask(0, "SELECT last FROM canvas.rooms") == before


async def test_a_standby_that_has_everything_takes_over_and_nobody_is_sent_away():
    with postgres.Cluster(1) as cluster:
        with Server(data=f"{cluster.address}/postgres") as first, Server(data=f"{cluster.address}/postgres") as second:
            ann, ben = await Client.join(first, "garden"), await Client.join(second, "garden")
            shape = identifier()
            await draw(ann, rectangle(shape))
            await draw(ben, {"shape": shape, "set": {"position": [2, 2]}})
            await keeps_up(cluster)
            cluster.kill(0)
            cluster.promote(1)
            cluster.reset(1, "synchronous_standby_names")
            connections = ann.socket, ben.socket
            ann = await draw_at_last(first, ann, {"shape": shape, "set": {"position": [4, 4]}})
            ben = await draw_at_last(second, ben, {"shape": shape, "set": {"position": [5, 5]}})
            await agree(ann, ben)
            assert (ann.socket, ben.socket) == connections
            for server in (first, second):
                assert await server.metric("canvas_log_rooms_set_back_total") == 0
