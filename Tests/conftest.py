"""What every suite that tries the programs from outside has: which programs, and tests that are `async`."""

import asyncio
import inspect
import os
import signal
import threading

import pytest

import server

# No test may hang for longer.
SECONDS_MAX = 120


def pytest_addoption(parser):
    parser.addoption(
        "--build", default=os.path.join(server.ROOT, ".build", "test", "release"), metavar="FOLDER",
        help="where SyncServer and sync-client are; otherwise .build/test/release, where make test builds them")
    parser.addoption("--headed", action="store_true", help="shows the browser in which the page is tried")


def pytest_configure(config):
    server.BINARY = os.path.join(os.path.abspath(config.getoption("--build")), "SyncServer")
    if not os.access(server.BINARY, os.X_OK):
        raise pytest.UsageError(f"{server.BINARY} is not there: build it, or say where, as by --build .build/debug")
    # Whoever is run by nohup, or behind `&` in a script, ignores these, and so would all that the tests start.
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if threading.current_thread() is threading.main_thread() and signal.getsignal(one) == signal.SIG_IGN:
            signal.signal(one, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs a test that is `async`, in a loop and a thread of its own: the browser's driver keeps a loop in the main one."""
    function = pyfuncitem.obj
    if not inspect.iscoroutinefunction(function):
        return None
    arguments = {name: pyfuncitem.funcargs[name] for name in inspect.signature(function).parameters}
    raised = []

    async def bounded():
        await asyncio.wait_for(function(**arguments), SECONDS_MAX)

    def run():
        try:
            asyncio.run(bounded())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return True
