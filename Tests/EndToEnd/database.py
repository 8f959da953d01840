"""Databases on the PostgreSQL server that scripts/with-postgres has started for the tests."""

import asyncio
import os
import secrets
from contextlib import ExitStack, asynccontextmanager, contextmanager

import pytest

import postgres
from server import Server
from waiting import eventually

SERVER = os.environ.get("TEST_POSTGRES")

needed = pytest.mark.skipif(not SERVER, reason="PostgreSQL isn't installed; scripts/with-postgres starts one where it is")


def ask(command, url=None):
    """Runs an SQL command, and returns its rows, one per line."""
    return postgres.ask(url or f"{SERVER}/postgres", command)


@contextmanager
def database():
    """Makes a database that exists within `with`, and yields its URL."""
    name = f"canvas_{secrets.token_hex(6)}"
    ask(f"CREATE DATABASE {name}")
    try:
        yield f"{SERVER}/{name}"
    finally:
        ask(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def nodes(count, *flags):
    """Starts this many servers over one new database."""
    with ExitStack() as stack:
        url = stack.enter_context(database())
        yield [stack.enter_context(Server(*flags, data=url)) for _ in range(count)]


@asynccontextmanager
async def waiting(server):
    """Starts a server whose database can't be reached. The server is then alive but not ready. Yields a function that
    makes the database reachable and waits until the server is ready. Kills the server at the end."""
    starting = asyncio.create_task(asyncio.to_thread(server.start))

    async def is_alive():
        try:
            return (await server.get("/healthz")).status == 200
        except OSError:
            return False

    try:
        await eventually(is_alive, "that it is alive")
        assert (await server.get("/readyz")).status == 503
        yield starting
    finally:
        server.kill()
        # If starting the server failed, its exception is ignored.
        await asyncio.gather(starting, return_exceptions=True)
