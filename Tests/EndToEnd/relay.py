"""A relay between two programs on loopback. A test can make it hold back bytes, or cut its connections."""

import asyncio


class Relay:
    """`async with Relay(port) as relay`: connections to `relay.own` are relayed to the program at `port`. While the
    relay holds, no bytes get through. Neither end notices, as when a cable is unplugged."""

    def __init__(self, port):
        self.port = port
        self.writers, self.carrying = [], set()
        self.is_open = asyncio.Event()
        self.is_open.set()

    async def __aenter__(self):
        self.server = await asyncio.start_server(self._take, "127.0.0.1", 0)
        self.own = self.server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_):
        self.server.close()
        for task in self.carrying:
            task.cancel()
        await asyncio.gather(*self.carrying, return_exceptions=True)
        self.hang_up()

    def hold(self):
        self.is_open.clear()

    def let_go(self):
        self.is_open.set()

    def hang_up(self):
        """Ends all current connections."""
        for writer in self.writers:
            writer.close()
        self.writers = []

    async def passes(self, connection, is_back, part):
        """Waits while the relay holds back these bytes. If `is_back`, they are on their way to the client.
        - Returns: the bytes to pass on, and whether the connection stays open afterwards."""
        await self.is_open.wait()
        return part, True

    async def _take(self, reader, writer):
        task = asyncio.current_task()
        self.carrying.add(task)
        try:
            there = await asyncio.open_connection("127.0.0.1", self.port)
            self.writers += [writer, there[1]]
            await asyncio.gather(self._carry(writer, reader, there[1], False), self._carry(writer, there[0], writer, True))
        except (OSError, asyncio.CancelledError):
            writer.close()
        finally:
            self.carrying.discard(task)

    async def _carry(self, connection, reader, writer, is_back):
        try:
            while part := await reader.read(65_536):
                part, goes_on = await self.passes(connection, is_back, part)
                writer.write(part)
                await writer.drain()
                if not goes_on:
                    break
        except ConnectionError:
            pass
        writer.close()
