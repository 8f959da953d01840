"""Several nodes over one PostgreSQL. Any node can serve any room."""

import asyncio
import json
import os
import re
import secrets
import signal
import subprocess
import urllib.request

import pytest
import websockets

import database
import postgres
from client import Client, agree
from database import ask, nodes
from nginx import Nginx
from relay import Relay
from server import ROOT, Server, identifier
from waiting import eventually

pytestmark = database.needed


def rectangle(shape, **set):
    return {"shape": shape, "set": {"kind": "rectangle", **set}}


async def draw(client, *operations):
    """Writes an operation, and waits until it is stored."""
    return await client.accepted(*operations, id=identifier())


def position(client, shape):
    return client.live[shape]["position"][1]


async def all_are_answered(acknowledged, people, times=1):
    """Waits until each person's newest acknowledged write, which `acknowledged` has, is later than now."""
    before = {place: number + times for place, number in acknowledged.items()}
    await eventually(
        lambda: len(acknowledged) == people and all(number > before.get(place, 0) for place, number in acknowledged.items()),
        "everyone is answered")


async def test_what_is_drawn_on_one_node_is_seen_on_all():
    """C13: A client need not know that there are several nodes."""
    with nodes(3) as servers:
        people = [await Client.join(server, "garden") for server in servers]
        shapes = [identifier() for _ in people]
        # The room has no record yet, so all nodes compete to write the first one.
        await asyncio.gather(*(draw(one, rectangle(shape)) for one, shape in zip(people, shapes)))
        await agree(*people)
        assert set(people[0].live) == set(shapes)
        for round in range(30):
            await asyncio.gather(*(draw(one, {"shape": shapes[0], "set": {"position": [round, place]}}) for place, one in enumerate(people)))
        await agree(*people)
        latecomer = await Client.join(servers[1], "garden")
        await agree(latecomer, *people)


async def test_a_client_goes_on_at_another_node_where_it_was():
    with nodes(2) as (first, second):
        there = await Client.join(second, "garden")
        for round in range(40):
            ann = await Client.join(first, "garden")
            shape = identifier()
            cursor = (await draw(ann, rectangle(shape)))["cursor"]
            # Ann's cursor may include records that the other node has not read yet.
            again = await Client.join(second, "garden", state=False, since=cursor, actor=ann.actor, key=ann.welcome["key"])
            messages = await again.state()
            assert not any(message.get("reset") for message in messages), round
            assert messages[-1]["cursor"] == cursor
            assert again.actor == ann.actor
            await ann.socket.close()
            await again.socket.close()
        await agree(there, await Client.join(first, "garden"))


async def test_people_see_each_other_across_nodes():
    """C13: Of two connections of an actor the older one is closed, at whichever nodes they are."""
    with nodes(2) as (first, second):
        ann, ben = await Client.join(first, "garden", name="Ann"), await Client.join(second, "garden", name="Ben")
        assert (await ann.until("join"))["peer"]["name"] == "Ben"
        known = ben.welcome["peers"] or [(await ben.until("join"))["peer"]]
        assert [peer["name"] for peer in known] == ["Ann"]
        await ann.send({"type": "presence", "state": {"cursor": [3, 4], "told": "x" * 3_900}})
        states = (await ben.until("presence"))["peers"]
        assert states[0]["actor"] == ann.actor and states[0]["state"]["cursor"] == [3, 4]
        # The same actor joins at the other node. The older connection is closed, even if it was opened only a moment
        # ago.
        cat = await Client.join(first, "garden", name="Cat")
        while (await ben.until("join"))["peer"]["name"] != "Cat":
            pass
        newest, key = ann, ann.welcome["key"]
        for node in [second, first, second, first]:
            again = await Client.join(node, "garden", name="Ann", actor=ann.actor, key=key)
            assert again.actor == ann.actor
            assert await newest.closed() == 4409
            newest = again
        await newest.send({"type": "ping", "id": 1})
        await newest.until("pong")
        # When a node is killed, the other nodes remove its people.
        first.kill()
        await ben.until("leave", actor=cat.actor)


async def test_nobody_takes_an_actor_that_is_at_another_node():
    """C9: A viewer who names an editor's actor gets a new one, and so does a client without the actor's key. Nobody else is
    connected to the node at which they try."""
    with nodes(2) as (first, second):
        chosen = identifier()
        ann, cat = await Client.join(second, "garden"), await Client.join(second, "garden", actor=chosen)
        assert cat.actor == chosen
        await draw(ann, rectangle(identifier()))

        async def people():
            return [room["peers"] for room in (await first.get("/v1/rooms")).json["rooms"]]

        await eventually(people, "the first node knows of both", holds=[2].__eq__)
        for hello in ({"actor": ann.actor, "key": ann.welcome["key"], "readonly": True}, {"actor": chosen}):
            other = await Client.join(first, "garden", **hello)
            assert other.actor != hello["actor"], hello
            await other.socket.close()
            await eventually(people, "nobody is left at the first node", holds=[2].__eq__)
        for client in (ann, cat):
            await client.draw()


class Balancer(Nginx):
    """nginx with the files of deploy/ and without TLS, in front of several servers."""

    def __init__(self, servers):
        super().__init__()
        self.servers = servers

    def site(self):
        text = ""
        for name in ("nginx-nodes.conf", "nginx-plain.conf"):
            with open(os.path.join(ROOT, "deploy", name), encoding="utf-8") as file:
                text += file.read()
        for number, server in enumerate(self.servers, 11):
            text, count = re.subn(rf"10\.0\.0\.{number}:8080", f"127.0.0.1:{server.port}", text)
            assert count == 1
        return text.replace("listen 8080;", f"listen 127.0.0.1:{self.port};")

    def socket(self, room):
        return f"ws://127.0.0.1:{self.port}/v1/rooms/{room}/sync"

    async def join(self, room, **hello):
        async def joined():
            try:
                return await Client.join(self, room, **hello)
            except (OSError, websockets.WebSocketException):
                await asyncio.sleep(0.05)

        return await eventually(joined, "joining through nginx")


async def test_behind_nginx_a_node_that_is_killed_is_replaced_by_the_others():
    """Thirty people draw in six rooms at three nodes. One node is killed and restarted, and another is stopped."""
    with nodes(3) as servers, Balancer(servers) as balancer:
        names = [f"room-{number}" for number in range(6)]
        acknowledged, is_over = {}, asyncio.Event()

        async def person(room):
            client, shape, x = await balancer.join(room), identifier(), 0
            while not is_over.is_set():
                try:
                    if (await client.write(rectangle(shape, position=[x, 0]), id=identifier()))["type"] == "ack":
                        acknowledged[room, shape] = x
                        x += 1
                except websockets.ConnectionClosed:
                    # The next iteration sends the unanswered write again, although the write might be stored already.
                    client = await balancer.join(room, since=client.cursor, actor=client.actor, key=client.welcome["key"])
                await asyncio.sleep(0.05)
            return room, client

        going = [asyncio.create_task(person(names[number % 6])) for number in range(30)]
        await all_are_answered(acknowledged, 30)
        open_at = [(await server.metrics())["canvas_rooms_open"] for server in servers]
        assert sum(open_at) == 6, "each room is open at one node only"
        servers[0].kill()
        await all_are_answered(acknowledged, 30)
        await asyncio.to_thread(servers[0].start)
        await all_are_answered(acknowledged, 30)
        assert await asyncio.to_thread(servers[1].terminate) == 0
        await all_are_answered(acknowledged, 30, times=20)
        is_over.set()
        await asyncio.gather(*going)
        for room in names:
            looking = [await Client.join(server, room) for server in (servers[0], servers[2])]
            await agree(*looking)
            for (of, shape), x in acknowledged.items():
                if of == room:
                    assert position(looking[0], shape)[0] == x


async def test_behind_nginx_everyone_is_let_in_at_once_after_all_nodes_were_away():
    """A WebSocket doesn't end, so it can't show nginx that its node works."""
    with nodes(3) as servers, Balancer(servers) as balancer:
        for server in servers:
            server.kill()
        for number in range(12):
            with pytest.raises(websockets.InvalidStatus):
                await Client.join(balancer, f"room-{number}")
        for server in servers:
            await asyncio.to_thread(server.start)
        for number in range(12):
            await Client.join(balancer, f"room-{number}")


async def test_behind_nginx_a_node_that_has_yet_to_reach_its_database_is_passed_over():
    with nodes(2) as servers:
        late = Server(data="postgresql://canvas@127.0.0.1:1/canvas")
        async with database.waiting(late) as ready:
            with Balancer([*servers, late]) as balancer:
                for number in range(12):
                    await draw(await balancer.join(f"room-{number}"), rectangle(identifier()))
                    with urllib.request.urlopen(f"http://127.0.0.1:{balancer.port}/v1/rooms/room-{number}") as answer:
                        assert len(json.load(answer)["shapes"]) == 1
            assert not ready.done()


async def test_a_room_locked_at_one_node_is_locked_at_all(tmp_path):
    tokens = tmp_path / "tokens"
    tokens.write_text("ann-aaaaaaaaaaaaaaaa editor *\nkeeper-bbbbbbbbbbbb operator *\n", encoding="utf-8")
    tokens.chmod(0o600)
    with nodes(2, "--tokens", tokens) as (first, second):
        def bearer(token):
            return {"additional_headers": {"Authorization": f"Bearer {token}"}}

        async def lock(server, method):
            answer = await server.http(method, "/v1/rooms/garden/lock", headers={"Authorization": "Bearer keeper-bbbbbbbbbbbb"})
            assert answer.status == 204, answer.body

        ann = await Client.join(second, "garden", options=bearer("ann-aaaaaaaaaaaaaaaa"))
        await draw(ann, rectangle(identifier()))
        await lock(first, "PUT")
        assert await ann.closed() == 1001
        ann = await Client.join(second, "garden", options=bearer("ann-aaaaaaaaaaaaaaaa"))
        assert ann.welcome["role"] == "viewer"
        ben = await Client.join(first, "garden", options=bearer("ann-aaaaaaaaaaaaaaaa"))
        # A node that starts later reads the lock from the database.
        with Server("--tokens", tokens, data=first.data) as third:
            eve = await Client.join(third, "garden", options=bearer("ann-aaaaaaaaaaaaaaaa"))
            assert eve.welcome["role"] == "viewer"
            await lock(third, "DELETE")
            for one in (ann, ben, eve):
                assert await one.closed() == 1001
        ann = await Client.join(first, "garden", options=bearer("ann-aaaaaaaaaaaaaaaa"))
        await draw(ann, rectangle(identifier()))


async def test_a_room_deleted_at_one_node_is_closed_at_all():
    with nodes(2) as (first, second):
        ann, ben = await Client.join(first, "garden"), await Client.join(second, "garden")
        await draw(ann, rectangle(identifier()))
        await agree(ann, ben)
        assert (await first.http("DELETE", "/v1/rooms/garden")).status == 204
        for one in (ann, ben):
            assert await one.closed() == 4404
        ben = await Client.join(second, "garden")
        assert not ben.live
        await draw(ben, rectangle(identifier()))


async def test_what_no_standby_has_is_shown_to_nobody():
    """When a node's connection is cut, its commit still waits for the standbys, even if the commit blocks another
    node. Without that wait, people would see edits that are lost if one machine fails."""
    with postgres.Cluster(1) as cluster, Server(data=f"{cluster.address}/postgres") as other:
        async with Relay(cluster.ports[0]) as relay:
            server = await asyncio.to_thread(Server(data=f"postgresql://canvas@127.0.0.1:{relay.own}/postgres").start)
            try:
                ann, bob, cat = [await Client.join(node, "garden") for node in (server, other, other)]
                dan = await Client.join(other, "pond")
                cluster.set(0, "log_statement = 'all'")
                first, late = identifier(), identifier()
                standby = cluster.processes(1)
                await draw(dan, rectangle(identifier()))
                await draw(ann, rectangle(first))

                async def keep_busy():
                    # A node tests its connection with a commit when that has been idle for two seconds, and what it is
                    # asked to store then waits behind that commit. This takes the connection, but commits nothing.
                    while True:
                        await other.http("DELETE", "/v1/rooms/nowhere")

                busy = asyncio.create_task(keep_busy())
                is_resumed = False

                async def sees():
                    # Bob's timeout begins before the edit, so it can end soon after the standby goes on. Then he waits
                    # once more.
                    is_last = False
                    while True:
                        try:
                            return await bob.sees(late)
                        except asyncio.TimeoutError:
                            if is_last:
                                raise
                            is_last = is_resumed

                seeing = asyncio.create_task(sees())
                for process in standby:
                    os.kill(process, signal.SIGSTOP)
                writing = asyncio.create_task(ann.write(rectangle(late), id=1))
                # Only a batch ends with this statement, and no commit with which a node tests its connection.
                waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query = 'COMMIT'"
                await eventually(lambda: cluster.ask(0, waits) != ["0"], "Ann's commit waits")
                # A node that stores a snapshot of the room locks its row like this, beside Ann's edit.
                keep = "SELECT FROM canvas.rooms WHERE name = 'garden' FOR KEY SHARE"
                keeping = asyncio.create_task(asyncio.to_thread(cluster.ask, 0, keep))
                waits = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND query LIKE '%FOR KEY SHARE'"
                await eventually(lambda: cluster.ask(0, waits) != ["0"], "the snapshot waits, too")
                begun = len(cluster.messages(0))

                def happened():
                    said = cluster.messages(0)[begun:]
                    return {name: len(re.findall(f"execute {name}: ", said)) for name in ("evict", "end_silent", "end_holders", "locked")}

                blocked = asyncio.create_task(cat.write(rectangle(identifier()), id=1))
                await eventually(happened, "Ann's commit blocks the other node", holds=lambda times: times["locked"])
                busy.cancel()
                begun = len(cluster.messages(0))
                relay.hang_up()

                # The disconnected node reconnects at once, and ends its earlier connections. The other node ends what
                # blocks its own commit, and looks for it often. Cat's write would be refused at the seventeenth look, if
                # it didn't wait for a commit.
                await eventually(
                    happened, "both nodes look for what is in their way",
                    holds=lambda times: times["evict"] and times["end_silent"] + times["end_holders"] and times["locked"] >= 20)
                assert cluster.ask(0, "SELECT count(*) FROM canvas.records") == ["2"]
                assert not seeing.done()
                cluster.resume(1)
                is_resumed = True
                await seeing
                assert [(await task)["type"] for task in (writing, blocked)] == ["ack"] * 2
                await keeping
            finally:
                cluster.resume(1)
                server.kill()


async def refused(client):
    answer = await client.write(rectangle(identifier()), id=identifier())
    return answer["type"] == "reject" and answer["code"] == "unavailable"


async def taken(client):
    return (await client.write(rectangle(identifier()), id=identifier()))["type"] == "ack"


async def test_a_database_that_takes_no_writes_is_read_until_it_does():
    with nodes(1) as (server,):
        name = server.data.rsplit("/", 1)[1]
        hang_up = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
        ann = await Client.join(server, "garden")
        await draw(ann, rectangle(identifier()))
        ask(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        ask(hang_up)

        async def is_known():
            ready = await server.get("/readyz")
            return ready.status == 503 and "takes no writes now" in ready.body.decode()

        await eventually(is_known, "that it takes no writes")
        assert await refused(ann)
        # Reads still work.
        assert (await server.get("/v1/rooms/garden")).status == 200
        ask(f"ALTER DATABASE {name} SET default_transaction_read_only = off")
        await eventually(lambda: taken(ann), "writing again")
        await agree(ann, await Client.join(server, "garden"))
        said = [line for line in server.log if "can't be written" in line["message"]]
        assert 1 <= len(said) <= 4, "one line for each reason, and not for each try"


async def test_a_database_whose_disk_is_full_refuses_and_comes_back():
    place = f"/tmp/canvas-full-{identifier()}"
    os.mkdir(place)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "canvas", place], capture_output=True, check=False).returncode != 0:
        os.rmdir(place)
        pytest.skip("no file system can be mounted here")
    try:
        # This test uses its own PostgreSQL server. PostgreSQL makes no checkpoints while the disk is full, and other
        # tests wait for checkpoints.
        with postgres.Cluster() as cluster:
            os.mkdir(f"{place}/data")
            os.chown(f"{place}/data", cluster.user.pw_uid, cluster.user.pw_gid)
            cluster.ask(0, f"CREATE TABLESPACE small LOCATION '{place}/data'")
            cluster.ask(0, "CREATE DATABASE small TABLESPACE small")
            with Server("--max-ops-per-second", 1_000_000, "--max-shapes", 1_000_000, data=f"{cluster.address}/small") as server:
                ann = await Client.join(server, "garden")
                # Only a little of the space is left, so that little has to be written.
                space = os.statvfs(place)
                with open(f"{place}/rest", "wb") as rest:
                    rest.write(bytes(space.f_bavail * space.f_frsize - 800_000))
                stored = 0

                async def fills():
                    nonlocal stored
                    answer = await ann.write(*[rectangle(identifier(), name=secrets.token_hex(30)) for _ in range(400)], id=identifier())
                    stored += answer["type"] == "ack"
                    assert answer["type"] == "ack" or answer["code"] == "unavailable", answer
                    return answer["type"] == "reject"

                async def is_said():
                    return any("disk is full" in line.get("fault", "") for line in server.log)

                await eventually(fills, "a full disk")
                await eventually(is_said, "a line that says so")
                assert (await server.get("/v1/rooms/garden")).status == 200
                subprocess.run(["mount", "-o", "remount,size=200m", place], check=True)
                await eventually(lambda: taken(ann), "writing again")
                assert len(ann.live) == 400 * stored + 1
                await agree(ann, await Client.join(server, "garden"))
    finally:
        subprocess.run(["umount", "--lazy", place], check=False)
        os.rmdir(place)
