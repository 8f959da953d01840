"""The terminal client, and servers that all tests without special flags share."""

import os

import pytest

import terminal
from server import Server


@pytest.fixture(scope="session")
def shared():
    """The server for commands that run until they are done."""
    with Server() as server:
        yield server
        server.has_lived()


@pytest.fixture(scope="session", autouse=True)
def client(pytestconfig):
    """The path of the client. Its commands store their state in a folder of the tests."""
    terminal.BINARY = os.path.join(os.path.abspath(pytestconfig.getoption("--build")), "sync-client")
    with terminal.own_state():
        yield terminal.BINARY


@pytest.fixture(scope="session")
def server():
    """The server for full-screen commands."""
    with Server() as server:
        yield server
        server.has_lived()
