"""For all suites that test the programs from outside: selects the programs, and supports `async` tests."""

import asyncio
import inspect
import os
import signal
import threading

import pytest

import server

# The time limit of an `async` test. The longest test takes 90 s on an idle machine.
SECONDS_MAX = 300


def pytest_addoption(parser):
    parser.addoption(
        "--build", default=os.path.join(server.ROOT, ".build", "test", "release"), metavar="FOLDER",
        help="where SyncServer and sync-client are; otherwise .build/test/release, where make test builds them")
    parser.addoption("--headed", action="store_true", help="shows the browser in which the page is tried")


def pytest_configure(config):
    server.BINARY = os.path.join(os.path.abspath(config.getoption("--build")), "SyncServer")
    if not os.access(server.BINARY, os.X_OK):
        raise pytest.UsageError(f"{server.BINARY} is not there: build it, or say where, as by --build .build/debug")
    # Under nohup, or with `&` in a script, these signals are ignored, and processes inherit that from their parent. So
    # the signals get their default handlers again.
    for one in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if threading.current_thread() is threading.main_thread() and signal.getsignal(one) == signal.SIG_IGN:
            signal.signal(one, signal.SIG_DFL)


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem):
    """Runs an `async` test in a thread with its own event loop, because the browser's driver occupies the main thread's
    loop."""
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
