"""Runs pycrdt-websocket, the server of Jupyter's shared documents, in memory and as its documentation shows:
`yroom.py PORT`.
"""

import asyncio
import sys

from pycrdt import Channel
from pycrdt.websocket import WebsocketServer
from websockets import ConnectionClosed
from websockets.asyncio.server import serve


class Connection(Channel):
    def __init__(self, socket):
        self.socket = socket

    @property
    def path(self):
        return self.socket.request.path

    def __aiter__(self):
        return self

    async def __anext__(self):
        try:
            return await self.socket.recv()
        except ConnectionClosed:
            raise StopAsyncIteration from None

    async def send(self, message):
        await self.socket.send(message)

    async def recv(self):
        return await self.socket.recv()


async def main(port):
    async with WebsocketServer() as rooms:
        async with serve(lambda socket: rooms.serve(Connection(socket)), "127.0.0.1", port, compression=None) as server:
            await server.serve_forever()


asyncio.run(main(int(sys.argv[1])))
