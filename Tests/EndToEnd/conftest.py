"""Starts the server that all tests without special flags share."""

import pytest

from server import Server


@pytest.fixture(scope="session")
def shared():
    with Server() as server:
        yield server
        server.has_lived()
