"""Databases for nodes, on the PostgreSQL server that scripts/with-postgres has started for the tests."""

import os
import secrets
from contextlib import ExitStack, contextmanager

import pytest

import postgres
from server import Server

SERVER = os.environ.get("TEST_POSTGRES")

needed = pytest.mark.skipif(not SERVER, reason="PostgreSQL isn't installed; scripts/with-postgres starts one where it is")


def ask(command, url=None):
    """What an SQL command answers, a line a row."""
    return postgres.ask(url or f"{SERVER}/postgres", command)


@contextmanager
def database():
    """The URL of a new database."""
    name = f"canvas_{secrets.token_hex(6)}"
    ask(f"CREATE DATABASE {name}")
    try:
        yield f"{SERVER}/{name}"
    finally:
        ask(f"DROP DATABASE {name} WITH (FORCE)")


@contextmanager
def nodes(count, *flags):
    """So many servers over one new database."""
    with ExitStack() as stack:
        url = stack.enter_context(database())
        yield [stack.enter_context(Server(*flags, data=url)) for _ in range(count)]
