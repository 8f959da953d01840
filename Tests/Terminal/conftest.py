"""The terminal client, and servers for all tests that need nothing special of theirs."""

import os

import pytest

import terminal
from server import Server


@pytest.fixture(scope="session")
def shared():
    """For commands that run to their end."""
    with Server() as server:
        yield server
        server.has_lived()


@pytest.fixture(scope="session", autouse=True)
def client(pytestconfig):
    """Where the client is. What its commands remember goes into a folder that the tests have for themselves."""
    terminal.BINARY = os.path.join(os.path.abspath(pytestconfig.getoption("--build")), "sync-client")
    with terminal.own_state():
        yield terminal.BINARY


@pytest.fixture(scope="session")
def server():
    """For the full-screen commands."""
    with Server() as server:
        yield server
        server.has_lived()
