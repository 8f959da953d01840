"""Faults of the server and its disk."""

import asyncio
import os
import shutil
import time

# The timeout of each wait in this file, in seconds. A wait that takes longer means that the server or a client hangs.
SECONDS = 40

USUAL = ["kill", "stop", "full disk", "restart", "restored copy"]


class Faults:
    """Chooses faults in random order. Each kind happens once before any kind happens again."""

    def __init__(self, world, names):
        self.world = world
        self.random = world.random("faults")
        self.kinds = {name: getattr(self, name.replace(" ", "_")) for name in names}
        self.deck = []

    async def next(self):
        if not self.deck:
            self.deck = self.random.sample(list(self.kinds), len(self.kinds))
        kind = self.deck.pop()
        words = await self.kinds[kind]()
        self.world.counts[kind] += 1
        self.world.say(words)

    async def kill(self):
        # In two of three cases, kills the server just after an answer. That catches answers that are sent before the
        # edit is durable. In the third case, kills it at a random time.
        if self.random.random() < 0.67:
            self.world.answered.clear()
            await asyncio.wait_for(self.world.answered.wait(), SECONDS)
        self.world.kill_server()
        self.world.ledger.note("kill -9")
        return await self.absence("kill -9 of the server")

    async def restart(self):
        self.world.ledger.note("SIGTERM")
        await self.world.terminate_server()
        return await self.absence("SIGTERM to the server")

    async def absence(self, words):
        seconds = self.random.uniform(0.1, 1.5)
        await asyncio.sleep(seconds)
        await self.world.start_server()
        return f"{words}; started again after {seconds:.1f} s"

    async def stop(self):
        seconds = self.random.uniform(0.5, 6)
        self.world.ledger.note("SIGSTOP")
        self.world.server.freeze()
        await asyncio.sleep(seconds)
        self.world.server.thaw()
        self.world.ledger.note("SIGCONT")
        return f"the server held still for {seconds:.1f} s"

    async def full_disk(self):
        server, disk = self.world.server, self.world.disk
        self.world.ledger.note("the disk is full")
        self.world.is_full = self.world.was_full = True
        await self.until_ready(503, lambda: disk.fill(server))
        seconds = self.random.uniform(0.5, 3)
        await asyncio.sleep(seconds)
        disk.free(server)
        self.world.ledger.note("the disk is free")
        await self.until_ready(200, lambda: None)
        return f"the disk was full for {seconds:.1f} s after the server had noticed"

    async def until_ready(self, status, meanwhile):
        for _ in range(SECONDS * 20):
            meanwhile()
            if (await self.world.server.get("/readyz")).status == status:
                return
            await asyncio.sleep(0.05)
        self.world.violation(f"/readyz was not {status} within {SECONDS} s")

    async def restored_copy(self):
        """Copies the data directory while the server is down, and restores the whole copy a little later."""
        copy, data = self.world.disk.copy, self.world.disk.data
        await self.down()
        replace(copy, data)
        moment = time.monotonic()
        self.world.ledger.note("a copy of the directory is made")
        await self.world.start_server()
        seconds = self.random.uniform(2, 5)
        await asyncio.sleep(seconds)
        await self.down()
        replace(data, copy)
        self.world.ledger.forget_since(moment)
        self.world.ledger.note("the copy is put back")
        self.world.restored()
        await self.world.start_server()
        return f"a copy of the directory, {seconds:.1f} s old, was put back"

    async def down(self):
        """Kills the server, and waits until all clients are offline, so that no answer of it arrives any more."""
        self.world.kill_server()
        self.world.weather.cut_all()
        await self.world.until(lambda: self.world.is_everyone_offline, "all clients to notice that the server is gone")


def replace(folder, other):
    """Replaces the content of `folder` by that of `other`."""
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    shutil.copytree(other, folder, dirs_exist_ok=True)
