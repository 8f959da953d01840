"""A server for all tests that need no special flags."""

import pytest

from server import Server


@pytest.fixture(scope="session")
def shared():
    with Server() as server:
        yield server
        server.has_lived()
