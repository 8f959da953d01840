"""A browser and a server for all tests of the page, and for each test a room that nobody has been in."""

import pytest

from world import World


@pytest.fixture(scope="session")
def world(pytestconfig):
    """The browser, and the means to start servers of one's own."""
    with World(headed=pytestconfig.getoption("--headed")) as world:
        yield world
        world.server.has_lived()


@pytest.fixture(autouse=True)
def room(world, request):
    """Everyone leaves the rooms of the test at its end, and nobody may have met an error that was not expected."""
    with world.test(request.node.name) as room:
        yield room
