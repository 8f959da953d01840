"""When a node is stopped, its clients can continue at another node."""

import asyncio
import signal

import database
import postgres
from client import Client
from database import nodes
from server import Server, identifier

pytestmark = database.needed


async def test_a_node_that_stops_sends_its_people_away_one_after_the_other():
    with nodes(2) as (first, second):
        people = [await Client.join(first, "garden") for _ in range(20)]
        happened = []

        async def wait(client):
            assert await client.closed() == 1001
            happened.append("gone")
            back = await Client.join(second, "garden", since=client.cursor, actor=client.actor, key=client.welcome["key"])
            happened.append("back")
            return back

        waiting = [asyncio.create_task(wait(one)) for one in people]
        assert await asyncio.to_thread(first.terminate) == 0
        again = await asyncio.gather(*waiting)
        # The clients are disconnected one after another, so that the other node doesn't get all of them at once.
        assert "gone" in happened[happened.index("back") :], happened
        assert [one.actor for one in again] == [one.actor for one in people]


async def test_people_at_other_nodes_keep_no_node_from_stopping():
    """They send presence all the time, so there is always more to pass on."""
    with nodes(2, "--presence-interval-ms", 20_000) as (first, second):
        ann, others = await Client.join(first, "garden"), [await Client.join(second, "garden") for _ in range(12)]
        is_over = asyncio.Event()

        async def go_on(client, number):
            shape, x = identifier(), 0
            while not is_over.is_set():
                x += 1
                await client.send({"type": "presence", "state": {"cursor": [x, number]}})
                await client.send({"type": "ops", "ops": [{"shape": shape, "set": {"kind": "star", "position": [x, number]}}]})
                await asyncio.sleep(0.005)

        async def listen(client):
            while True:
                await client.receive()

        busy = [asyncio.create_task(go_on(client, number)) for number, client in enumerate(others)]
        listening = [asyncio.create_task(listen(client)) for client in others]
        await ann.until("presence")
        for _ in range(20):
            await ann.until("ops")
        stopping = asyncio.create_task(asyncio.to_thread(first.terminate))
        assert await ann.closed() == 1001
        assert await stopping == 0
        # The node stopped before its timeouts for storing accepted edits and for sending them.
        messages = [line["message"] for line in first.log]
        assert messages[-1] == "stopped" and not any("hasn't answered" in message for message in messages), messages
        is_over.set()
        await asyncio.gather(*busy)
        for task in listening:
            task.cancel()


async def test_a_database_that_says_nothing_keeps_nobody_from_going_on_elsewhere():
    """The outcome of the pending edit is unknown. The node still asks everybody to reconnect."""
    with postgres.Cluster() as cluster, Server(data=f"{cluster.address}/postgres") as server:
        ann = await Client.join(server, "garden")
        await ann.write({"shape": identifier(), "set": {"kind": "star"}})
        cluster.signal(0, signal.SIGSTOP)
        try:
            await ann.send({"type": "ops", "id": 2, "ops": [{"shape": identifier(), "set": {"kind": "star"}}]})
            # The server reads messages in order, so the pong shows that it has read the edit.
            await ann.send({"type": "ping"})
            await ann.until("pong")
            stopping = asyncio.create_task(asyncio.to_thread(server.terminate))
            assert await ann.closed() == 1001
        finally:
            cluster.resume(0)
        assert await stopping == 0
