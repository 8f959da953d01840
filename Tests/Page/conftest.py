"""One browser and one server for all tests of the page, and a new room for each test."""

import pytest

from world import World


@pytest.fixture(scope="session")
def world(pytestconfig):
    """The browser and the shared server. Tests that need another server start it through this object."""
    with World(headed=pytestconfig.getoption("--headed")) as world:
        yield world
        world.server.has_lived()


@pytest.fixture(autouse=True)
def room(world, request):
    """A new room. At the end everybody leaves, and no page may have logged an unexpected error."""
    with world.test(request.node.name) as room:
        yield room
